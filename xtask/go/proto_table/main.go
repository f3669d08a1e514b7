// Command proto_table writes down which protobuf field of the Kubernetes API types is which JSON field.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types whose JSON is not the JSON of their fields; the decoder knows them by name.
var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():          "time",
	reflect.TypeFor[metav1.MicroTime]():     "microtime",
	reflect.TypeFor[metav1.FieldsV1]():      "json",
	reflect.TypeFor[resource.Quantity]():    "quantity",
	reflect.TypeFor[intstr.IntOrString]():   "intorstring",
	reflect.TypeFor[runtime.RawExtension](): "json",
	reflect.TypeFor[apiextensionsv1.JSON](): "json",
}

// Messages whose JSON is that of their last field that is set.
var either = map[reflect.Type]bool{
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       true,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        true,
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): true,
}

var scalars = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Float64: "double",
	reflect.Int32: "int32", reflect.Int64: "int64",
}

type table struct {
	kinds    []string
	messages map[string][]string
}

func main() {
	output := flag.String("output", "", "the file to write")
	flag.Parse()
	t := &table{messages: map[string][]string{}}
	t.addKinds()
	if err := t.write(*output); err != nil {
		log.Fatal(err)
	}
}

func (t *table) addKinds() {
	scheme := runtime.NewScheme()
	for _, add := range groups {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	t.kinds = append(t.kinds, "* DeleteOptions "+t.message(reflect.TypeFor[metav1.DeleteOptions]()))
	for gvk, goType := range scheme.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal && isSent(gvk.Kind) {
			t.kinds = append(t.kinds, gvk.GroupVersion().String()+" "+gvk.Kind+" "+t.message(goType))
		}
	}
	sort.Strings(t.kinds)
}

// Lists, options of reads and frames of watches are in no request body.
func isSent(kind string) bool {
	switch kind {
	case "WatchEvent", "APIGroup", "APIVersions", "APIResourceList", "Status", "RangeAllocation", "SerializedReference", "Table":
		return false
	}
	return !strings.HasSuffix(kind, "List") && !strings.HasSuffix(kind, "Options")
}

// message adds the message of a Go struct, and those it is made of, and returns its name.
func (t *table) message(goType reflect.Type) string {
	name := messageName(goType)
	if _, known := t.messages[name]; known {
		return name
	}
	t.messages[name] = nil
	var lines []string
	if either[goType] {
		lines = append(lines, "either")
	}
	for i := range goType.NumField() {
		if line := t.field(goType.Field(i)); line != "" {
			lines = append(lines, line)
		}
	}
	sort.SliceStable(lines, func(a, b int) bool { return number(lines[a]) < number(lines[b]) })
	t.messages[name] = lines
	return name
}

func number(line string) int {
	first, _, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(first)
	return n
}

// messageName is unique and short: group, version unless it is v1, name.
func messageName(goType reflect.Type) string {
	parts := strings.Split(goType.PkgPath(), "/")
	group, version := parts[len(parts)-2], parts[len(parts)-1]
	return group + strings.TrimPrefix(version, "v1") + "." + goType.Name()
}

// field is "number jsonName type flags"; a field that is not on the wire is none.
func (t *table) field(f reflect.StructField) string {
	wire := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(wire) < 2 {
		if f.Type != reflect.TypeFor[metav1.TypeMeta]() && f.Tag.Get("json") != "-" && f.Tag.Get("protobuf") != "-" {
			log.Fatalf("field %s has no protobuf tag", f.Name)
		}
		return ""
	}
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	goType, flags := f.Type, ""
	if strings.Contains(options, "inline") || name == "" && f.Anonymous {
		name, flags = "~", ""
	}
	if goType.Kind() == reflect.Pointer {
		goType, flags = goType.Elem(), flags+"?"
	}
	if !strings.Contains(options, "omitempty") && name != "~" {
		flags += "!"
	}
	if strings.Contains(options, "omitzero") {
		flags += "0"
	}
	if name == "" {
		name = strings.ToLower(f.Name)
	}
	return strings.TrimSpace(wire[1] + " " + name + " " + t.typeName(goType) + flags)
}

func (t *table) typeName(goType reflect.Type) string {
	if name, ok := special[goType]; ok {
		return name
	}
	if _, isMessage := reflect.New(goType).Interface().(interface{ Marshal() ([]byte, error) }); isMessage && goType.Kind() == reflect.Slice {
		return "strings"
	}
	if goType == reflect.TypeFor[metav1.Duration]() {
		log.Fatal("a kind has a duration now; teach the decoder first")
	}
	switch goType.Kind() {
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + t.typeName(goType.Elem())
	case reflect.Map:
		return "{}" + t.typeName(goType.Elem())
	case reflect.Struct:
		return t.message(goType)
	default:
		name, ok := scalars[goType.Kind()]
		if !ok {
			log.Fatalf("no name for the type %s", goType)
		}
		return name
	}
}

func (t *table) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	fmt.Fprintln(out, "# Which protobuf field is which JSON field. Written by `cargo run -p xtask -- proto-table`; see table.rs for the format.")
	for _, kind := range t.kinds {
		fmt.Fprintln(out, "="+kind)
	}
	names := make([]string, 0, len(t.messages))
	for name := range t.messages {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintln(out, name)
		for _, line := range t.messages[name] {
			fmt.Fprintln(out, " "+line)
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}
