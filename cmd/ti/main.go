// Command ti checks, formats, runs and looks into kernel sources, and runs the
// project's examples and tests.
//
//	ti check FILE…        report all errors of sources, or of the libraries in folders
//	ti vet FILE…          report errors of sources, and what is suspicious in them
//	ti fmt FILE…          format sources
//	ti doc FILE… [NAME]   print what a source declares, with its comments
//	ti run FILE …         bind data to a source, launch its kernels, save results
//	ti ir FILE …          print a kernel at a stage of compilation
//	ti tokens FILE        print the tokens of a source
//	ti explain TI0123     explain an error code
//	ti bind FILE…         write the Go struct that a source is bound to
//	ti build FILE …       compile kernels ahead of time, into a Go package
//	ti page PACKAGE       write a web page that runs a program
//	ti site OUT           write the gallery and the playground
//	ti serve [DIR]        serve them, with the scenes and sources of a folder
//	ti cache              show, verify or remove compiled kernels on disk
//	ti doctor             say what of this machine can be used, and what is missing
//	ti setup              fetch a libLLVM for this user, if there is none
//	ti examples           list the examples, or run one
//	ti version            print the version
//	ti demo               run all examples (in a checkout)
//	ti test               run all tests (in a checkout)
//
// ti COMMAND --help lists the flags.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// stdio is where commands read and write; tests replace it. Commands need not check
// whether writing to out fails: [run] does.
type stdio struct {
	in       io.Reader
	out, err io.Writer
	args     []string // the command line, without the name of the program
}

// errReported ends a command with exit status 1 where it has said why already.
var errReported = errors.New("reported")

// errLate ends a command as errReported does, because -timeout has ended its launches. The
// exit status is that of the Unix command timeout.
var errLate = errors.New("late")

const lateStatus = 124

// grammar is the command line; each command is a struct with a Run method.
type grammar struct {
	Check    checkCmd    `cmd:"" help:"Report all errors of kernel sources."`
	Vet      vetCmd      `cmd:"" help:"Report errors of kernel sources, and what is suspicious in them."`
	Fmt      fmtCmd      `cmd:"" help:"Format kernel sources as gofmt does."`
	Doc      docCmd      `cmd:"" help:"Print what a kernel source declares, with its comments, as go doc does."`
	Run      runCmd      `cmd:"" help:"Bind data to a source, launch kernels and save what they computed."`
	IR       irCmd       `cmd:"" name:"ir" help:"Print a kernel at a stage of compilation."`
	Bind     bindCmd     `cmd:"" help:"Write the Go struct that a source is bound to."`
	Build    buildCmd    `cmd:"" help:"Compile kernels ahead of time, into a Go package."`
	Page     pageCmd     `cmd:"" help:"Write a web page that runs a Go program with its kernels, for any server of files."`
	Site     siteCmd     `cmd:"" help:"Write the gallery and the playground, for any server of files."`
	Serve    serveCmd    `cmd:"" help:"Serve the gallery and the playground, with the scenes and sources of a folder."`
	Tokens   tokensCmd   `cmd:"" help:"Print the tokens of a source with their positions, for editors and highlighters."`
	Explain  explainCmd  `cmd:"" help:"Tell about an error code, or list all of them."`
	Cache    cacheCmd    `cmd:"" help:"Show, verify or remove the compiled kernels on disk."`
	Doctor   doctorCmd   `cmd:"" help:"Say what of this machine can be used, and what is missing."`
	Setup    setupCmd    `cmd:"" help:"Fetch a libLLVM for this user alone, if the machine has none."`
	Examples examplesCmd `cmd:"" help:"List the examples, or run one."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
	Demo     demoCmd     `cmd:"" help:"Run all examples and print what they did (in a checkout)."`
	Test     testCmd     `cmd:"" help:"Run all checks, tests and a short fuzz of each target (in a checkout)."`
}

func main() {
	os.Exit(run(os.Args[1:], &stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// run parses and executes a command line and returns the exit status: 0 for
// success, 1 for a failure, 2 for a command line that cannot be understood, 124 for
// launches that -timeout has ended. Output that could not be written is a failure of
// every command.
func run(args []string, std *stdio) int {
	out := &outlet{w: std.out}
	status, reported := command(args, &stdio{std.in, out, std.err, args})
	return out.end(std.err, status, reported)
}

// command is run without the check of standard output. It also returns the error that it
// has reported.
func command(args []string, io *stdio) (status int, reported error) {
	parser, err := kong.New(&grammar{},
		kong.Name("ti"),
		kong.Description("Taichi for Go: a parallel programming language for simulation and visual computing."),
		kong.Writers(io.out, io.err),
		kong.Exit(func(code int) { panic(exit(code)) }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintf(io.err, "ti: %v\n", err)
		return 2, err
	}
	if len(args) == 0 {
		parser.Stdout = io.err // the help is no result here
		args = []string{"--help"}
		defer func() { status = 2 }()
	}
	defer func() {
		// kong ends --help by calling Exit, which must not return.
		switch e := recover().(type) {
		case nil:
		case exit:
			status = int(e)
		default:
			panic(e)
		}
	}()
	ctx, err := parser.Parse(longFlags(args))
	var unwritten *writeError
	switch {
	case errors.As(err, &unwritten): // of the help: the command line itself is right
		return 1, nil
	case err != nil:
		fmt.Fprintf(io.err, "ti: %s\n", usageError(err))
		return 2, err
	}
	switch err = ctx.Run(io); {
	case err == nil:
		return 0, nil
	case errors.Is(err, errLate):
		return lateStatus, err
	case !errors.Is(err, errReported):
		fmt.Fprintf(io.err, "ti: %s\n", strings.TrimPrefix(err.Error(), "ti: "))
	}
	return 1, err
}

// usageError says what is wrong with a command line, and where help is.
func usageError(err error) string {
	msg := strings.ReplaceAll(err.Error(), ": ti: ", ": ")
	help := "ti --help"
	var p *kong.ParseError
	if errors.As(err, &p) {
		command := p.Context.Selected()
		if command != nil {
			help = "ti " + command.Path() + " --help"
		}
		if arg, ok := strings.CutPrefix(msg, "unexpected argument "); ok && command == nil {
			msg = "there is no command " + arg
		}
	}
	if arg, ok := strings.CutPrefix(msg, "expected \""); ok {
		msg = "an argument is missing: " + strings.TrimSuffix(arg, "\"")
	}
	return msg + "; " + help + " tells what can be written"
}

// longFlags lets flags be written with one dash, as Go programs have them.
func longFlags(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if singleDash.MatchString(a) {
			out[i] = "-" + a
		}
	}
	return out
}

var singleDash = regexp.MustCompile(`^-[a-z][a-z-]+(=.*)?$`)

// exit is what kong's Exit panics with.
type exit int
