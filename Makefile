# `make` builds the compiler and generates the catalogue, `make test` passes all that needs no GPU, `make gpu-test` all that does.
# A GPU machine without Go uses the bin/cutegen that was carried there.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules --no-print-directory

GO       ?= go
# Spec files instead of the default catalogue. Their kernels are built, and their results recorded, in a folder of their own.
SPEC     ?=
BUILD    ?= build$(if $(SPEC),/$(basename $(notdir $(firstword $(SPEC)))))
RESULTS  ?= $(if $(SPEC),$(BUILD)/results,gpu-tests/results)
ARCH     ?= sm_90a
JOBS     ?= $(shell nproc)
# A count, not a time: a deadline that falls into the fuzzer's start fails the run.
FUZZTIME ?= 3000x

CUTEGEN   := bin/cutegen
TWINS     := gpu-tests/twins
GENERATED := '*.qtpl.go' gpu-tests/bindings
HAVE_GO   := $(shell command -v $(GO) 2>/dev/null)

section = printf '\n=== %s\n' '$(1)'

# --- build ----------------------------------------------------------------------------------------------------------------------------

.PHONY: all
all: $(CUTEGEN) ## build bin/cutegen and generate the catalogue into build/kernels (the default), or with SPEC=x.yaml its kernels into build/x/kernels
	$(CUTEGEN) gen -o $(BUILD)/kernels $(SPEC)

ifneq ($(HAVE_GO),)
.PHONY: $(CUTEGEN) # the go command knows what has changed
$(CUTEGEN):
	CGO_ENABLED=0 $(GO) build -trimpath -o $@ ./cmd/cutegen
else
$(CUTEGEN):
	@echo 'there is no $@, and no "$(GO)" to build it with: carry it here, or install Go from https://go.dev/dl' >&2
	exit 1
endif

# The CUDA 13.0 compiler: NVCC if it is given, or the one in PATH or where NVIDIA's installer puts it, or else the toolchain's.
TOOLCHAIN := .toolchain/cuda-13.0
WHEELS := nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-nvvm==13.0.88 \
	nvidia-cuda-cccl==13.0.85 nvidia-cuda-cuobjdump==13.2.86 nvidia-cuda-nvdisasm==13.2.86

ifeq ($(origin NVCC),undefined)
if-13.0 = $(if $(findstring release 13.0,$(shell $(1) --version 2>/dev/null)),$(1))
NVCC := $(firstword $(call if-13.0,nvcc) $(call if-13.0,/usr/local/cuda/bin/nvcc) $(TOOLCHAIN)/nvidia/cu13/bin/nvcc)
endif

# Whole or not at all. The file wheels in it says which are there.
.PHONY: toolchain
toolchain: ## unpack the pinned CUDA 13.0 compiler into .toolchain, where none is installed
ifneq ($(filter $(TOOLCHAIN)/%,$(NVCC)),)
	@[[ "$$(cat $(TOOLCHAIN)/wheels 2>/dev/null)" != '$(WHEELS)' ]] || exit 0
	$(call section,toolchain)
	new=$(TOOLCHAIN).$$$$.tmp
	trap 'rm -rf "$$new"' EXIT
	PIP_ROOT_USER_ACTION=ignore python3 -m pip --disable-pip-version-check install --no-deps --target "$$new" $(WHEELS)
	"$$new/nvidia/cu13/bin/nvcc" --version
	echo '$(WHEELS)' >"$$new/wheels"
	rm -rf $(TOOLCHAIN)
	mv "$$new" $(TOOLCHAIN)
else
	@$(NVCC) --version
endif

NVCCFLAGS := -std=c++17 -O3 -gencode arch=compute_$(ARCH:sm_%=%),code=$(ARCH) -Werror all-warnings
# The wheels keep libcudart_static in lib, where nvcc does not look.
SOFLAGS := -shared -Xcompiler -fPIC -cudart static $(if $(findstring /,$(NVCC)),$(addprefix -L,$(wildcard $(dir $(NVCC))../lib)))

# A second make, because only now are the sources there to be listed.
.PHONY: kernels
kernels: all toolchain ## compile the catalogue, or SPEC, and the twins to NAME.cubin and NAME.so; a warning, a spill or local memory is an error
	@$(call section,kernels: $(NVCC) for $(ARCH))
	mkdir -p $(BUILD)/twins
	names=$$(sed -n 's|.*"name": "\(.*\)".*|$(BUILD)/kernels/\1|p' $(BUILD)/kernels/catalogue.json; $(twins))
	$(MAKE) -s $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) $$(printf '%s.cubin ' $$names; printf '%s.so ' $$names)

# Every twin, or those that kernels of SPEC have.
ifeq ($(SPEC),)
twins = sed 's/\#.*//' $(TWINS)/twins.txt | awk 'NF {print "$(BUILD)/twins/" $$1}'
else
twins = sed -n 's|^  "twin": "\(.*\)".*|$(BUILD)/twins/\1|p' $(BUILD)/kernels/*.json | sort -u
endif

# What is compiled with another compiler or other flags is compiled anew.
.PHONY: $(BUILD)/nvcc-flags.force
$(BUILD)/nvcc-flags.force:
$(BUILD)/nvcc-flags: $(BUILD)/nvcc-flags.force
	@mkdir -p $(BUILD)
	now='$(NVCC) $(NVCCFLAGS) $(SOFLAGS)'
	[[ "$$(cat $@ 2>/dev/null)" == "$$now" ]] || echo "$$now" >$@

# $(call cubin,SOURCE MACROS): ptxas has to say that it needed no stack; what else it used is shown.
define cubin
@said=$$($(NVCC) $(NVCCFLAGS) -Xptxas -v,-warn-spills,-warn-lmem-usage -cubin $(1) -o $@ 2>&1) || { echo "$$said" >&2; exit 1; }
grep -q ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' <<<"$$said" || { echo "$$said" >&2; exit 1; }
echo "$@: $$(sed -n 's/.*info *: Used //p' <<<"$$said")"
endef
# $(call so,SOURCE MACROS)
so = @$(NVCC) $(NVCCFLAGS) $(SOFLAGS) $(1) -o $@

$(BUILD)/kernels/%.cubin: $(BUILD)/kernels/%.cu $(BUILD)/nvcc-flags
	$(call cubin,$<)
$(BUILD)/kernels/%.so: $(BUILD)/kernels/%.cu $(BUILD)/nvcc-flags
	$(call so,$<)

# SOURCE MACROS of a twin's name, from its line in twins.txt.
twin = -DTWIN_NAME=$(1) $(shell awk '$$1 == "$(1)" {$$1 = ""; $$2 = "$(TWINS)/" $$2; print}' $(TWINS)/twins.txt)
TWIN_SOURCES := $(wildcard $(TWINS)/*)

$(BUILD)/twins/%.cubin: $(TWIN_SOURCES) $(BUILD)/nvcc-flags
	$(call cubin,$(call twin,$*))
$(BUILD)/twins/%.so: $(TWIN_SOURCES) $(BUILD)/nvcc-flags
	$(call so,$(call twin,$*))

# --- on a GPU -------------------------------------------------------------------------------------------------------------------------

.PHONY: gpu-test
gpu-test: kernels ## on a GPU: check every kernel against the references and cuBLAS, and record it
	$(CUTEGEN) verify --build $(BUILD) --results $(RESULTS)

.PHONY: bench
bench: kernels ## on a GPU: time every kernel against cuBLAS and a device copy, and record it
	$(CUTEGEN) bench --build $(BUILD) --results $(RESULTS)

.PHONY: compare
compare: kernels ## on a GPU: every kernel against its handwritten twin: time, registers, instructions
	$(CUTEGEN) compare --build $(BUILD) --results $(RESULTS)

SANITIZER ?= $(firstword $(shell command -v compute-sanitizer) /usr/local/cuda/bin/compute-sanitizer)

.PHONY: sanitizer
sanitizer:
	@command -v $(SANITIZER) >/dev/null || { echo 'there is no compute-sanitizer ($(SANITIZER)): bin/cutegen doctor sanitize says how to get it' >&2; exit 1; }

.PHONY: sanitize
sanitize: sanitizer kernels ## on a GPU: run small odd sizes of every kernel under compute-sanitizer's four tools
	@for tool in memcheck racecheck initcheck synccheck; do
		printf '\n=== %s\n' "$$tool"
		$(SANITIZER) --tool $$tool --error-exitcode 1 $(CUTEGEN) verify --small --build $(BUILD)
	done

.PHONY: results
results: $(CUTEGEN) ## print the recorded results, each current or stale
	@$(CUTEGEN) results --results $(RESULTS) $(SPEC)

.PHONY: doctor
doctor: $(CUTEGEN) ## tell what this machine has, what it lacks, and how to get it
	@$(CUTEGEN) doctor

# --- without a GPU --------------------------------------------------------------------------------------------------------------------

.PHONY: test
test: ## all that needs no GPU: lint, tests, race detector, short fuzz, generated files, every kernel emulated and compiled, recorded results
	@for step in all lint unit race fuzz check-generated emulate kernels formulas check-results; do $(MAKE) $$step; done
	$(call section,passed)

.PHONY: unit
unit: ## go test
	@$(call section,go test)
	$(GO) test ./...

.PHONY: race
race: ## go test with the race detector
	@$(call section,go test -race)
	CGO_ENABLED=1 $(GO) test -race ./...

.PHONY: fuzz
fuzz: ## run every fuzz function for FUZZTIME
	@$(call section,fuzz: $(FUZZTIME) each)
	fuzzers=$$($(GO) test -list '^Fuzz' ./... | awk '/^Fuzz/ {f[n++] = $$1} /^ok/ {for (i = 0; i < n; i++) print $$2, f[i]; n = 0}')
	[[ -n "$$fuzzers" ]] || { echo 'no fuzz function found' >&2; exit 1; }
	while read -r package f; do
		$(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) "$$package"
	done <<<"$$fuzzers"

# pycute, the reference in Python, from NVIDIA's wheel.
PYCUTE ?= .toolchain/pycute-4.2.0

.toolchain/pycute-%/pycute:
	new=.toolchain/pycute-$*.$$$$.tmp
	trap 'rm -rf "$$new"' EXIT
	PIP_ROOT_USER_ACTION=ignore python3 -m pip --disable-pip-version-check install -q --no-deps --target "$$new" nvidia-cutlass==$*.0
	rm -rf $(@D)
	mv "$$new" $(@D)

.PHONY: bench-algebra
bench-algebra: $(PYCUTE)/pycute ## time the layout algebra beside pycute, one table; fail if it is not 200 times as fast
	@PYCUTE='$(abspath $(PYCUTE))' $(GO) test -count=1 -v -benchtime 0.2s -run '^(TestPeer|TestNoAllocation.*)$$' ./algebra

# rank2, small, wide, long or all: see census_test.go.
CENSUS ?= rank2

.PHONY: census
census: $(PYCUTE)/pycute ## count every pair of small layouts: which have an answer, and what we, CuTe C++ and pycute make of it
	@PYCUTE='$(abspath $(PYCUTE))' CENSUS=$(CENSUS) $(GO) test -count=1 -v -timeout 3h -run Census ./algebra

.PHONY: formulas
formulas: all toolchain ## compile index formulas as a hand writes them beside derived ones; fail if a derived one has more instructions
	@$(call section,formulas)
	$(CUTEGEN) formulas --code

.PHONY: mutants
mutants: ## break the rules of index arithmetic and its printer one at a time; fail if a fault is not noticed
	@MUTANTS=1 $(GO) test -count=1 -v -timeout 30m -run Mutants ./emit

.PHONY: emulate
emulate: all ## run every generated kernel on this machine's CPU, under the C++ compiler's sanitizers
	@$(call section,emulate)
	$(CUTEGEN) emulate --build $(BUILD)

.PHONY: lint
lint: ## gofmt, vet and staticcheck
	@$(call section,gofmt)
	unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .)
	[[ -z "$$unformatted" ]] || { echo "$$unformatted"; exit 1; }
	$(call section,go vet)
	$(GO) vet ./...
	$(call section,staticcheck)
	$(GO) tool staticcheck ./...

.PHONY: generate
generate: ## generate the committed files anew: the templates' Go, then the bindings, which need it
	find templates -name '*.qtpl.go' -delete
	$(GO) generate ./templates
	$(GO) generate ./...

.PHONY: check-generated
check-generated: ## fail unless the committed generated files are what generate makes
	@$(call section,generated files)
	$(MAKE) generate
	changed=$$(git status --porcelain -- $(GENERATED))
	[[ -z "$$changed" ]] || { echo "$$changed"; echo 'commit what make generate makes' >&2; exit 1; }

.PHONY: check-results
check-results: $(CUTEGEN) ## fail if a kernel of the catalogue has no current verification
	@$(call section,recorded results)
	$(CUTEGEN) results --check --results $(RESULTS) $(SPEC)

.PHONY: ci
ci: test ## what .ci/run runs

.PHONY: clean
clean: ## remove what was built, but not a bin/cutegen that cannot be built here
	rm -rf $(if $(filter build,$(BUILD)),build,$(addprefix $(BUILD)/,kernels twins results nvcc-flags)) $(if $(HAVE_GO),bin)

.PHONY: help
help: ## list the targets
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' Makefile | while IFS=$$'\t' read -r target text; do printf '%-16s %s\n' "$$target" "$$text"; done
