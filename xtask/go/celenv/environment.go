// Package celenv builds the cel-go environment that kro compiles expressions with.
package celenv

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	krolib "github.com/kubernetes-sigs/kro/pkg/cel/library"
	apiservercel "k8s.io/apiserver/pkg/cel"
	k8slib "k8s.io/apiserver/pkg/cel/library"
)

// New declares the variables in an environment with kro's libraries.
func New(variables map[string]Type) (*cel.Env, error) {
	base, err := cel.NewEnv(libraries()...)
	if err != nil {
		return nil, fmt.Errorf("kro's libraries: %w", err)
	}
	var options []cel.EnvOption
	var roots []*apiservercel.DeclType
	for name, variable := range variables {
		if decl := variable.declType(); decl != nil {
			root := decl.MaybeAssignTypeName(typeNamePrefix + name)
			roots = append(roots, outermostObjects(root)...)
			options = append(options, cel.Variable(name, root.CelType()))
		} else {
			options = append(options, cel.Variable(name, variable.celType()))
		}
	}
	provider, err := objectProvider(roots)
	if err != nil {
		return nil, err
	}
	return base.Extend(append(options, cel.CustomTypeProvider(krolib.ConditionTypeProvider(provider)))...)
}

// libraries is the set and the order of kro v0.9.4's base declarations.
func libraries() []cel.EnvOption {
	return []cel.EnvOption{
		ext.TwoVarComprehensions(),
		ext.Lists(),
		ext.Strings(),
		ext.Bindings(),
		cel.OptionalTypes(),
		ext.Encoders(),
		k8slib.Lists(),
		k8slib.URLs(),
		k8slib.Regex(),
		k8slib.Quantity(),
		k8slib.IP(),
		k8slib.CIDR(),
		k8slib.SemverLib(),
		krolib.Random(),
		krolib.Maps(),
		krolib.JSON(),
		krolib.Hash(),
		krolib.Lists(),
		krolib.Omit(),
		krolib.Runtime(),
	}
}

// outermostObjects looks through lists and maps: as roots those would all be registered as "list" or "map".
func outermostObjects(decl *apiservercel.DeclType) []*apiservercel.DeclType {
	if decl.IsObject() {
		return []*apiservercel.DeclType{decl}
	}
	if decl.ElemType != nil {
		return outermostObjects(decl.ElemType)
	}
	return nil
}

func objectProvider(roots []*apiservercel.DeclType) (types.Provider, error) {
	declared := apiservercel.NewDeclTypeProvider(roots...)
	// kro lets `metadata.namespace` be written although `namespace` is reserved.
	declared.SetRecognizeKeywordAsFieldName(true)
	// Like kro: object types stand alone, without the protobuf types of the default registry.
	provider, err := declared.WithTypeProvider(types.NewEmptyRegistry())
	if err != nil {
		return nil, fmt.Errorf("object types: %w", err)
	}
	return &openObjects{DeclTypeProvider: provider}, nil
}

// openObjects answers dyn for the unknown fields of objects that keep them, as kro does for
// x-kubernetes-preserve-unknown-fields.
type openObjects struct {
	*apiservercel.DeclTypeProvider
}

// FindStructFieldType falls back to dyn where the object is open.
func (p *openObjects) FindStructFieldType(typeName, fieldName string) (*types.FieldType, bool) {
	if field, found := p.DeclTypeProvider.FindStructFieldType(typeName, fieldName); found {
		return field, true
	}
	if decl, found := p.FindDeclType(typeName); found && decl.Metadata[openMetadata] == "true" {
		return &types.FieldType{Type: cel.DynType}, true
	}
	return nil, false
}
