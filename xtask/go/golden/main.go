// Command golden writes down what cel-go, with kro's options, says about a file of expressions.
//
// Every expression listed as wrong must be rejected and every one listed as right accepted;
// otherwise nothing is written and the exit code is 1.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"

	"krono.dev/xtask/go/celenv"
)

// input is the hand-written file.
type input struct {
	Variables map[string]celenv.Type `json:"variables"`
	Wrong     []topic                `json:"wrong"`
	Right     []topic                `json:"right"`
}

type topic struct {
	Topic       string   `json:"topic"`
	Expressions []string `json:"expressions"`
}

// output is the golden file.
type output struct {
	Versions map[string]string `json:"versions"`
	Wrong    []rejection       `json:"wrong"`
	Right    []acceptance      `json:"right"`
}

type rejection struct {
	Expression string       `json:"expression"`
	Errors     []diagnostic `json:"errors"`
	// Text is the whole of what cel-go prints, carets included.
	Text string `json:"text"`
}

// diagnostic has the line and column as cel-go prints them: from 1, in code points; -1:0 is "nowhere".
type diagnostic struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type acceptance struct {
	Expression string `json:"expression"`
	Type       string `json:"type"`
}

func main() {
	from := flag.String("input", "wrong.json", "expressions and variables")
	to := flag.String("output", "wrong.golden.json", "where to write cel-go's verdicts")
	flag.Parse()
	if err := run(*from, *to); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	in, err := read(from)
	if err != nil {
		return err
	}
	env, err := celenv.New(in.Variables)
	if err != nil {
		return err
	}
	out, err := judge(env, in)
	if err != nil {
		return err
	}
	fmt.Printf("cel-go: %d wrong, %d right\n", len(out.Wrong), len(out.Right))
	return write(to, out)
}

func read(path string) (*input, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	in := &input{}
	if err := decoder.Decode(in); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

func judge(env *cel.Env, in *input) (*output, error) {
	out := &output{Versions: versions()}
	seen := map[string]bool{}
	var problems []error
	each := func(topics []topic, visit func(string) error) {
		for _, topic := range topics {
			for _, expression := range topic.Expressions {
				if seen[expression] {
					problems = append(problems, fmt.Errorf("%s: listed twice: %q", topic.Topic, expression))
				}
				seen[expression] = true
				if err := visit(expression); err != nil {
					problems = append(problems, fmt.Errorf("%s: %w", topic.Topic, err))
				}
			}
		}
	}
	each(in.Wrong, func(expression string) error { return out.reject(env, expression) })
	each(in.Right, func(expression string) error { return out.accept(env, expression) })
	return out, errors.Join(problems...)
}

func (o *output) reject(env *cel.Env, expression string) error {
	ast, issues := env.Compile(expression)
	if issues.Err() == nil {
		return fmt.Errorf("accepted as %s: %q", checker.FormatCELType(ast.OutputType()), expression)
	}
	text := issues.String() // also sorts the errors by place
	if again := compileAgain(env, expression); again != text {
		return fmt.Errorf("the message is not stable: %q: %s", expression, text)
	}
	verdict := rejection{Expression: expression, Text: text}
	for _, e := range issues.Errors() {
		verdict.Errors = append(verdict.Errors,
			diagnostic{Line: e.Location.Line(), Column: e.Location.Column() + 1, Message: e.Message})
	}
	o.Wrong = append(o.Wrong, verdict)
	return nil
}

// compileAgain finds messages that print addresses or the order of a Go map.
func compileAgain(env *cel.Env, expression string) string {
	_, issues := env.Compile(expression)
	return issues.String()
}

func (o *output) accept(env *cel.Env, expression string) error {
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		return fmt.Errorf("rejected: %q: %s", expression, issues.String())
	}
	o.Right = append(o.Right, acceptance{Expression: expression, Type: checker.FormatCELType(ast.OutputType())})
	return nil
}

func versions() map[string]string {
	named := map[string]string{
		"github.com/google/cel-go":       "",
		"k8s.io/apiserver":               "",
		"github.com/kubernetes-sigs/kro": "",
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if _, wanted := named[module.Path]; wanted {
				named[module.Path] = module.Version
			}
		}
	}
	return named
}

// write puts each verdict on a line of its own, so that a diff shows what changed.
func write(path string, out *output) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "{\n\"versions\": %s", line(out.Versions))
	fmt.Fprintf(&text, ",\n\"wrong\": [\n%s\n]", lines(out.Wrong))
	fmt.Fprintf(&text, ",\n\"right\": [\n%s\n]\n}\n", lines(out.Right))
	if !json.Valid(text.Bytes()) {
		return errors.New("the golden file would not be JSON")
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

func lines[T any](values []T) string {
	written := make([]string, len(values))
	for i, value := range values {
		written[i] = line(value)
	}
	return strings.Join(written, ",\n")
}

// line is JSON without the escapes meant for HTML; a value that cannot be encoded spoils the file's validity.
func line(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(text.String())
}
