package ti

import (
	"reflect"
	"testing"
)

// TestConfigCarriesAll sets each field of a Config and looks for it below.
func TestConfigCarriesAll(t *testing.T) {
	var each func(v reflect.Value, set func(reflect.Value))
	each = func(v reflect.Value, set func(reflect.Value)) {
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Struct {
				each(v.Field(i), set)
				continue
			}
			set(v.Field(i))
		}
	}
	var c Config
	each(reflect.ValueOf(&c).Elem(), func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.String:
			v.SetString("x")
		case reflect.Interface:
			v.Set(reflect.ValueOf(new(discard)))
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Func:
			v.Set(reflect.ValueOf(func(Progress) {}))
		case reflect.Array:
			v.Index(0).SetInt(1)
		case reflect.Uint8, reflect.Uint64:
			v.SetUint(1)
		case reflect.Float64:
			v.SetFloat(1)
		default:
			v.SetInt(1)
		}
	})
	var missing func(path string, v reflect.Value)
	missing = func(path string, v reflect.Value) {
		for i := range v.NumField() {
			name := path + v.Type().Field(i).Name
			switch {
			case v.Field(i).Kind() == reflect.Struct:
				missing(name+".", v.Field(i))
			case v.Field(i).IsZero():
				t.Errorf("Config.%s is not carried below", name)
			}
		}
	}
	below := c.session()
	missing("", reflect.ValueOf(below))
	if a, b := reflect.TypeOf(c).NumField(), reflect.TypeOf(below).NumField(); a != b {
		t.Errorf("Config has %d fields, and %d below", a, b)
	}
}

type discard struct{}

func (*discard) Write(p []byte) (int, error) { return len(p), nil }
