//go:build tools

// Package chainsaw keeps the program that e2e/controllers builds among the requirements of this module.
package chainsaw

import _ "github.com/kyverno/chainsaw"
