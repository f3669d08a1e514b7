package main

import (
	"encoding/json"
	"fmt"
	"os"

	"krono.dev/xtask/go/celenv"
)

func readJSON(path string, into any) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// native turns json.Number into int64 where it is whole, as Kubernetes' decoder does.
func native(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		fraction, _ := value.Float64()
		return fraction
	case []any:
		for i, element := range value {
			value[i] = native(element)
		}
	case map[string]any:
		for key, field := range value {
			value[key] = native(field)
		}
	}
	return value
}

// typeOf derives a type from the shape of a value.
func typeOf(value any) celenv.Type {
	switch value := value.(type) {
	case bool:
		return celenv.Scalar("bool")
	case int64:
		return celenv.Scalar("int")
	case float64:
		return celenv.Scalar("double")
	case string:
		return celenv.Scalar("string")
	case []any:
		return celenv.List(elementType(value))
	case map[string]any:
		return objectType([]map[string]any{value})
	}
	return celenv.Scalar("dyn")
}

// elementType joins the fields of objects, since not every element has each of them.
func elementType(elements []any) celenv.Type {
	var objects []map[string]any
	for _, element := range elements {
		if object, ok := element.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	if len(objects) > 0 {
		return objectType(objects)
	}
	if len(elements) > 0 {
		return typeOf(elements[0])
	}
	return celenv.Scalar("dyn")
}

func objectType(objects []map[string]any) celenv.Type {
	fields := map[string]celenv.Type{}
	for _, object := range objects {
		for name, value := range object {
			if _, known := fields[name]; !known {
				fields[name] = typeOf(value)
			}
		}
	}
	return celenv.Object(fields)
}
