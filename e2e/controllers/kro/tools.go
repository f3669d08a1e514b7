//go:build tools

// Package kro keeps the program that e2e/controllers builds among the requirements of this module.
package kro

import _ "github.com/kubernetes-sigs/kro/cmd/controller"
