# cutegen: layouts in, verified CUDA out. `make help` lists every target.
#
# On a machine with a GPU and no Go, the carried bin/cutegen is used as it is.

SHELL := /bin/bash
.DEFAULT_GOAL := all
MAKEFLAGS += --no-print-directory

GO      := $(shell command -v go 2>/dev/null)
CUTEGEN := bin/cutegen
BUILD   ?= build
RESULTS ?= gpu-tests/results
# The real architecture that kernels are compiled for: sm_90a, sm_90, sm_89, sm_80.
ARCH    ?= sm_90a
JOBS    ?= $(shell nproc)
FUZZTIME ?= 5s

# The CUDA compiler: $NVCC, else one on the PATH, else the toolkit's usual place, else the pinned wheels under .toolchain.
TOOLCHAIN := .toolchain/cuda-13.0
WHEELS := nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-nvvm==13.0.88 \
          nvidia-cuda-cccl==13.0.85 nvidia-cuda-cuobjdump==13.2.86 nvidia-cuda-nvdisasm==13.2.86
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc) $(TOOLCHAIN)/nvidia/cu13/bin/nvcc)

VIRTUAL   := $(subst sm_,compute_,$(ARCH))
NVCCFLAGS := -std=c++17 -O3 -gencode arch=$(VIRTUAL),code=$(ARCH) -Werror all-warnings
# The wheels keep the runtime library in lib, where nvcc does not look.
LDFLAGS := -cudart static $(addprefix -L,$(wildcard $(dir $(NVCC))../lib))
# A spill or a local array is a defect of the plan, and fails the build.
PTXASFLAGS := -Xptxas -warn-spills,-warn-lmem-usage

.PHONY: all
all: generate-kernels ## build bin/cutegen and generate the default catalogue into build/kernels

.PHONY: $(CUTEGEN)
ifneq ($(GO),)
$(CUTEGEN):
	CGO_ENABLED=0 go build -trimpath -o $(CUTEGEN) ./cmd/cutegen
else
$(CUTEGEN):
	@test -x $(CUTEGEN) || { echo "make: neither Go nor a built $(CUTEGEN) is here: install Go 1.26, or carry $(CUTEGEN) from a machine that has it" >&2; exit 1; }
endif

.PHONY: generate-kernels
generate-kernels: $(CUTEGEN)
	$(CUTEGEN) gen -o $(BUILD)/kernels

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 20

# --- building the kernels ---------------------------------------------------------------------------------------------------------------

.PHONY: toolchain
toolchain: ## install the pinned CUDA compiler into .toolchain, unless an nvcc is there
	@if [ "$(NVCC)" = "$(TOOLCHAIN)/nvidia/cu13/bin/nvcc" ] && [ ! -x "$(NVCC)" ]; then \
	  echo "installing $(WHEELS)"; \
	  rm -rf $(TOOLCHAIN).tmp && mkdir -p $(dir $(TOOLCHAIN)) && \
	  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target $(TOOLCHAIN).tmp $(WHEELS) && \
	  mv $(TOOLCHAIN).tmp $(TOOLCHAIN); \
	fi
	@$(NVCC) --version | tail -n 2

# The list of sources exists only after generation, so the compile runs in a make of its own.
.PHONY: kernels
kernels: generate-kernels toolchain ## compile every kernel and handwritten twin to cubin and .so, in parallel
	@$(MAKE) -j$(JOBS) compile

SOURCES := $(wildcard $(BUILD)/kernels/*.cu)
TWINS   := $(shell grep -v '^\#' gpu-tests/twins/twins.txt 2>/dev/null | cut -d' ' -f1)

.PHONY: compile
compile: $(SOURCES:.cu=.cubin) $(SOURCES:.cu=.so) $(TWINS:%=$(BUILD)/twins/%.cubin) $(TWINS:%=$(BUILD)/twins/%.so)

# ptxas prints what it used; a kernel's registers are read from there by nobody but a person.
%.cubin: %.cu
	@echo "nvcc $(@F)"
	@$(NVCC) $(NVCCFLAGS) $(PTXASFLAGS) -cubin -o $@.tmp $< && mv $@.tmp $@

%.so: %.cu
	@$(NVCC) $(NVCCFLAGS) -shared -Xcompiler -fPIC $(LDFLAGS) -o $@.tmp.so $< && mv $@.tmp.so $@

# twins.txt: name, source, macros.
twin = $(shell grep '^$(1) ' gpu-tests/twins/twins.txt | cut -d' ' -f2-)
twinsource = gpu-tests/twins/$(firstword $(call twin,$(1)))
twinmacros = -DTWIN_NAME=$(1) $(wordlist 2,99,$(call twin,$(1)))

$(BUILD)/twins/%.cubin: gpu-tests/twins/twins.txt $(wildcard gpu-tests/twins/*.cu gpu-tests/twins/*.h)
	@mkdir -p $(@D) && echo "nvcc $(@F)"
	@$(NVCC) $(NVCCFLAGS) $(PTXASFLAGS) $(call twinmacros,$*) -cubin -o $@.tmp $(call twinsource,$*) && mv $@.tmp $@

$(BUILD)/twins/%.so: gpu-tests/twins/twins.txt $(wildcard gpu-tests/twins/*.cu gpu-tests/twins/*.h)
	@mkdir -p $(@D)
	@$(NVCC) $(NVCCFLAGS) $(call twinmacros,$*) -shared -Xcompiler -fPIC $(LDFLAGS) -o $@.tmp.so $(call twinsource,$*) && mv $@.tmp.so $@

# --- on a GPU ---------------------------------------------------------------------------------------------------------------------------

.PHONY: doctor
doctor: $(CUTEGEN) ## say what is on this machine, and what is missing
	@$(CUTEGEN) doctor

.PHONY: gpu-test
gpu-test: kernels ## verify every kernel on the GPU against Go references and cuBLAS, and record it
	$(CUTEGEN) verify --build $(BUILD) --results $(RESULTS)

.PHONY: bench
bench: kernels ## time every kernel on the GPU against cuBLAS and a device copy, and record it
	$(CUTEGEN) bench --build $(BUILD) --results $(RESULTS)

.PHONY: compare
compare: kernels ## time every kernel against its handwritten twin, with registers and instruction counts
	$(CUTEGEN) compare --build $(BUILD) --results $(RESULTS)

SANITIZER ?= $(firstword $(shell command -v compute-sanitizer 2>/dev/null) $(wildcard /usr/local/cuda/bin/compute-sanitizer) compute-sanitizer)

.PHONY: sanitize
sanitize: kernels ## run every kernel at small odd sizes under memcheck, racecheck, initcheck and synccheck
	@set -e; for tool in memcheck racecheck initcheck synccheck; do \
	  echo "== $$tool"; \
	  $(SANITIZER) --tool $$tool --error-exitcode 1 $(CUTEGEN) verify --small --build $(BUILD); \
	done

.PHONY: results
results: $(CUTEGEN) ## print the recorded results, current or stale
	@$(CUTEGEN) results --results $(RESULTS)

# --- tests ------------------------------------------------------------------------------------------------------------------------------

.PHONY: test
test: lint check-generated unit race fuzz check-kernels check-results ## all tests that need no GPU

.PHONY: lint
lint: ## gofmt, vet and staticcheck
	@echo "== gofmt, vet, staticcheck"
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	@go vet ./...
	@go tool staticcheck ./...

.PHONY: unit
unit: ## unit, golden and import-rule tests
	@echo "== unit tests"
	@go test ./...

.PHONY: race
race: ## the same under the race detector
	@echo "== race detector"
	@go test -race ./...

.PHONY: fuzz
fuzz: ## every fuzz test for $(FUZZTIME)
	@echo "== fuzz"
	@set -e; for pkg in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

.PHONY: generate
generate: ## make the generated Go files anew
	@go generate ./...

.PHONY: check-generated
check-generated: generate ## fail if a generated file is not what its source makes
	@echo "== generated files"
	@changed=$$(git status --porcelain -- '*.qtpl.go' gpu-tests/bindings); if [ -n "$$changed" ]; then echo "regeneration changes:"; echo "$$changed"; git diff -- '*.qtpl.go' gpu-tests/bindings | head -50; exit 1; fi

.PHONY: check-kernels
check-kernels: ## compile every kernel and twin: no spill, no local memory, no warning
	@echo "== kernels"
	@$(MAKE) kernels

.PHONY: check-results
check-results: $(CUTEGEN) ## fail if a kernel of the catalogue has no current verification
	@echo "== recorded results"
	@$(CUTEGEN) results --check --results $(RESULTS)

.PHONY: ci
ci: test ## what continuous integration runs

.PHONY: clean
clean: ## remove what was built
	rm -rf bin $(BUILD)
