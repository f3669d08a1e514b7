package celenv

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

const (
	// typeNamePrefix keeps the names of object types apart from the names of variables, as in kro.
	typeNamePrefix = "__type_"
	openMetadata   = "open"
)

// Type is the type of a variable, written in JSON as
//
//	"int"                                  a scalar: bool int uint double string bytes timestamp duration null dyn
//	{"list": T}  {"map": [K, V]}           containers
//	{"optional": T}                        an optional, at the top only
//	{"object": {"name": T, …}}             an object; its type is named after the path from the variable
//	{"object": {…}, "open": true}          an object whose unknown fields are dyn
type Type struct {
	scalar   string
	list     *Type
	mapping  *[2]Type
	optional *Type
	object   map[string]Type
	open     bool
}

// Scalar is a type without parameters.
func Scalar(name string) Type { return Type{scalar: name} }

// List is a list type.
func List(element Type) Type { return Type{list: &element} }

// Object is an object type with the given fields.
func Object(fields map[string]Type) Type { return Type{object: fields} }

var scalars = map[string]*apiservercel.DeclType{
	"bool":      apiservercel.BoolType,
	"int":       apiservercel.IntType,
	"uint":      apiservercel.UintType,
	"double":    apiservercel.DoubleType,
	"string":    apiservercel.StringType,
	"bytes":     apiservercel.BytesType,
	"timestamp": apiservercel.TimestampType,
	"duration":  apiservercel.DurationType,
	"null":      apiservercel.NullType,
	"dyn":       apiservercel.DynType,
}

// UnmarshalJSON reads the small type language above.
func (t *Type) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return t.unmarshalScalar(data)
	}
	var shape struct {
		List     *Type           `json:"list"`
		Map      *[2]Type        `json:"map"`
		Optional *Type           `json:"optional"`
		Object   map[string]Type `json:"object"`
		Open     bool            `json:"open"`
	}
	if err := json.Unmarshal(data, &shape); err != nil {
		return err
	}
	*t = Type{list: shape.List, mapping: shape.Map, optional: shape.Optional, object: shape.Object, open: shape.Open}
	if t.list == nil && t.mapping == nil && t.optional == nil && t.object == nil {
		return fmt.Errorf("not a type: %s", data)
	}
	return nil
}

func (t *Type) unmarshalScalar(data []byte) error {
	if err := json.Unmarshal(data, &t.scalar); err != nil {
		return err
	}
	if scalars[t.scalar] == nil {
		return fmt.Errorf("unknown scalar type %s", data)
	}
	return nil
}

// declType is the Kubernetes declaration of this type, or nil where there is none.
func (t Type) declType() *apiservercel.DeclType {
	switch {
	case t.list != nil:
		return apiservercel.NewListType(t.list.declType(), math.MaxInt)
	case t.mapping != nil:
		return apiservercel.NewMapType(t.mapping[0].declType(), t.mapping[1].declType(), math.MaxInt)
	case t.object != nil:
		return t.objectDeclType()
	case t.optional != nil:
		return nil
	}
	return scalars[t.scalar]
}

func (t Type) objectDeclType() *apiservercel.DeclType {
	fields := make(map[string]*apiservercel.DeclField, len(t.object))
	for name, field := range t.object {
		if escaped, ok := apiservercel.Escape(name); ok {
			fields[escaped] = apiservercel.NewDeclField(escaped, field.declType(), false, nil, nil)
		}
	}
	object := apiservercel.NewObjectType("object", fields)
	if t.open {
		object.Metadata = map[string]string{openMetadata: "true"}
	}
	return object
}

func (t Type) celType() *types.Type {
	if t.optional != nil {
		return cel.OptionalType(t.optional.celType())
	}
	return t.declType().CelType()
}
