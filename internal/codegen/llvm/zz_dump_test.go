package llvm
import ("testing";"os";"fmt")
func TestDump(t *testing.T){
  if os.Getenv("DUMP")=="" {t.Skip()}
  data,_:=os.ReadFile(os.Getenv("DUMP"))
  for _,l:=range libraries(t){
    k:=parse(t,string(data))
    text:=generate(t,k,Options{Version:l.Version().Major,VectorBits:512})
    os.WriteFile(fmt.Sprintf("/tmp/out%d.ll",l.Version().Major),[]byte(text),0o644)
    o:=Pipeline(3)
    s,err:=l.Assembly(o,text); if err!=nil {t.Fatal(err)}
    os.WriteFile(fmt.Sprintf("/tmp/out%d.s",l.Version().Major),[]byte(s),0o644)
    s,err=l.Optimize(o,text); if err!=nil {t.Fatal(err)}
    os.WriteFile(fmt.Sprintf("/tmp/out%d.opt.ll",l.Version().Major),[]byte(s),0o644)
  }
}
