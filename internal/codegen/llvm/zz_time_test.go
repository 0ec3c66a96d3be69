package llvm
import ("testing";"os";"time";"github.com/gotaichi/ti/internal/llvm")
func TestTimeLL(t *testing.T){
  if os.Getenv("LL")=="" {t.Skip()}
  data,_:=os.ReadFile(os.Getenv("LL"))
  for _,l:=range libraries(t){
   for n:=0;n<3;n++ {
    for _,lv:=range []int{0,1,2,3} {
    o:=Pipeline(lv); s:=time.Now(); obj,err:=l.Compile(o,string(data)); full:=time.Since(s); if err!=nil {t.Fatal(err)}
    s=time.Now(); l.Compile(llvm.Options{OptLevel:0},string(data)); none:=time.Since(s)
    s=time.Now(); l.Optimize(o,string(data)); opt:=time.Since(s)
    s=time.Now(); l.Optimize(llvm.Options{},string(data)); parse:=time.Since(s)
    t.Log(l.Version(),"O",lv,"full",full,"parse+emitO0",none,"opt only",opt,"parse only",parse,"bytes",len(obj))
   }}
  }
}
func TestEmit(t *testing.T){
  if os.Getenv("LL")=="" {t.Skip()}
  data,_:=os.ReadFile(os.Getenv("LL"))
  for _,l:=range libraries(t)[:1]{
   s,err:=l.Optimize(Pipeline(3),string(data)); if err!=nil {t.Fatal(err)}
   os.WriteFile("/tmp/opted.ll",[]byte(s),0o644)
   for _,cpu:=range []string{"","x86-64-v4","skylake-avx512","x86-64-v3","generic"} {
   for _,lv:=range []int{0,1,2,3} {
    best:=time.Hour
    for range 8 {
    st:=time.Now(); l.Compile(llvm.Options{OptLevel:lv,CPU:cpu},s); if d:=time.Since(st);d<best{best=d}
    }
    t.Log(cpu,l.HostCPU(),lv,best)
  }}}
}
func TestPerf(t *testing.T){
  if os.Getenv("LL")=="" {t.Skip()}
  data,_:=os.ReadFile(os.Getenv("LL"))
  l:=libraries(t)[0]
  for range 60 { l.Compile(llvm.Options{OptLevel:3},string(data)) }
}
