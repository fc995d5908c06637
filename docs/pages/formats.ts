/** docs/formats.md: what can be read, and what to do with what cannot. */
import { READERS } from '../../src/parse/registry.js';
import { UNREADABLE_DATABASES } from '../../src/parse/unreadable/databases.js';
import { UNREADABLE } from '../../src/parse/unreadable/unreadable.js';
import { DIAGNOSTICS } from '../../src/record/diagnostics.js';
import { code, list, NOTICE, page, table } from './markdown.js';

interface Notes {
  /** How such a file is made. */
  readonly made: readonly string[];
  readonly read: readonly string[];
}

/** What the tables of the code do not contain, by reader id. */
const NOTES: Readonly<Record<string, Notes>> = {
  nsight: {
    made: [
      '`nsys profile -o net --trace=cuda,nvtx --pytorch=autograd-shapes-nvtx python train.py`, then `nsys export --type sqlite --include-blobs=true net.nsys-rep`, which writes `net.sqlite`; the blobs hold the communicators and message sizes of NCCL',
    ],
    read: [
      'Kernels, copies, memory sets, synchronisations and graph launches; NVTX ranges, registered strings and domains; CUDA runtime and driver calls; devices; the start of the capture in Unix time.',
      'Exports of 2019 to 2026: tables exist only when they have rows, and columns come and go between releases, so all are read by name and what is missing is unknown.',
      'Launches are joined on process and correlation id: several processes in one file are kept apart. Kernels of a CUDA graph carry their node and have the context of the call that launched the graph; a graph traced as a whole is one record, without kernels.',
      "A kernel that is launched in the NVTX range of a call of NCCL, or at the end of its group, has the operation; with payloads also message sizes and communicator (`group`, the hash that is the same on all ranks), `labels` what only has a meaning within it: `Peer rank`, `Root`. `host` is the target's name; no other row of its environment is read.",
    ],
  },
  nvprof: {
    made: ['`nvprof -f -o net.sql --profile-from-start off python train.py`'],
    read: [
      'Kernels (those that may overlap, and those that nvprof ran one after the other), copies, memory sets, synchronisations; markers; CUDA runtime and driver calls; devices.',
      'Database versions 7 to 22. Times are Unix time and are rebased to the start of the profile. Kernel names are demangled; one that cannot be stays as it is.',
      "Metrics and events (`--metrics`, `--events`) are counters of their kernels, by CUPTI's number (`metric#20971523`): the database has no names, numbers differ between architectures, and NVIDIA publishes no table of them. `nvprof -i net.sql --print-gpu-trace --csv` prints the same values by name, on any machine with nvprof.",
    ],
  },
  rpd: {
    made: ['`runTracer.sh -o trace.rpd python train.py` of rocmProfileData, or its `rpdTracerControl` in the program'],
    read: [
      'Kernels, copies and memory sets by the HIP call that made them, also those of graphs; roctx ranges, with the ops that `emit_nvtx` of PyTorch prints; the clocks of devices as samples. The rows of the tracer itself are overhead.',
      "Schemas 2 and 3. Times count from the machine's start, so that the start in Unix time is unknown. A device is a number that counts the CPUs of the machine too: nothing else is stated of it, and monitors number devices otherwise.",
      'Grids are counted in blocks, whether the file counts blocks or threads. The size of a copy that a graph makes, or that 32 bits do not hold, is unknown.',
    ],
  },
  kineto: {
    made: [
      '`torch.profiler.profile(record_shapes=True, with_stack=True, with_modules=True, profile_memory=True)` and `export_chrome_trace("net.pt.trace.json.gz")`, or its `tensorboard_trace_handler`',
    ],
    read: [
      'Kernels, copies, memory sets, synchronisations; ops with their extents, types and values; autograd nodes and the forward op of each; Python frames and modules; annotations and steps; collectives with their number in the group and the other rank of a message; devices; rank, ranks and process groups of the job; the start in Unix time.',
      'Traces of 2021 to today, of NVIDIA and AMD devices, as a stream: the file may be larger than memory. Times are read from their digits, to the nanosecond. A trace that is cut off gives what stands before the cut.',
      'A kernel belongs to the ops around its launch; where times are rounded to microseconds or the launch is not in the trace, to the op whose external id it carries. A backward kernel belongs to the forward op with the sequence number and thread of its autograd node, and has its layer and call stack. What a checkpoint computes again inside a node is forward work in modules of its own, where the trace has modules or frames.',
      'Code of torch.compile is forward work, backward in `CompiledFunctionBackward` and in a region of compiled autograd. Its own ranges are no ops; without modules its graph is the layer. Column `fused` has the ops that the name of a kernel lists, and `op` where no op is around the launch; `--explain` names the generated source.',
      'With `record_shapes` the report has FLOPs, bytes and parameters; with `with_stack` the call stack, with `with_modules` the layers. Traces before 2023 have extents and types of arguments but not their values: what needs these (stride, dimensions) is derived from the gradient, or unknown.',
      'Kernels of a CUDA or HIP graph have the context of the call that launched the graph, and `graph` says so.',
      'With `profile_memory` every allocation and release is a sample of `memory_allocated` and `memory_reserved`, `component` being the kind of device (`CUDA`, `HIP`; `CPU` is the host, whose `device` is null), and every allocation one of `op_memory` with the innermost range of its thread and how long it was held (null: not released in the trace). What PyTorch allocated on the host before memory was profiled is not in its total. Traces of 2021 have sizes only: `memory_allocated_since_first` is their sum since the first event, and how long an op held its memory is unknown.',
      'The host is that of a name that `tensorboard_trace_handler` gives (`HOST_PID.TIME.pt.trace.json`), where that process is in the trace. Kernels of traces from before they recorded their collective have it, in the report, by the call that launched them: its operation and the sizes that its arguments state.',
      'Top-level keys other than `traceEvents` are not copied: they may hold environment variables.',
    ],
  },
  'ascend-db': {
    made: [
      '`torch_npu.profiler.profile(…, experimental_config=_ExperimentalConfig(export_type=ExportType.Db))`; with `record_shapes`, `with_stack` and `with_modules` for shapes, call stacks and layers; Level1 or Level2 for operands and counters of kernels',
    ],
    read: [
      'Kernels with their operands, core class and counters; the calls, modules, frames and steps around each, and the forward op of backward kernels; collectives as operations, with their number in the group, process groups, host; copies and events; frequencies, memory and bandwidths as samples; MSTX ranges.',
      "Schemas 1.0 to 1.2, and files that MindStudio Insight has altered: columns are read by name, and types and shapes that stand in each other's column are identified by content. A task that only wraps a kernel or a collective is counted once.",
      'A folder gives one profile a rank: the database, else the text files. Locked or corrupt databases are reported and skipped. What stands under `ENV_VARIABLES` stays there. Details: docs/ascend.md.',
    ],
  },
  'ascend-text': {
    made: [
      'the same profiler with `ExportType.Text`: `ASCEND_PROFILER_OUTPUT/trace_view.json` and the csv files of the same folder',
    ],
    read: [
      'The trace alone gives full records, as a stream of any size; `kernel_details.csv` in the same folder adds operands, core class and counters, `l2_cache.csv` rates of the cache, `communication.json` groups, links and times of collectives, `profiler_metadata.json` process groups and ranks of the job, the memory files samples. `kernel_details.csv` alone gives kernels without ops.',
      'Times are read from their digits, to the nanosecond. Counters of the csv files have the names and units of their header (µs), those of a database ns.',
    ],
  },
  'ascend-raw': {
    made: [
      'the same profiler before `analyse`, or `msprof` before its export: `FRAMEWORK` and `PROF_*/host/data`, `PROF_*/device_N/data`',
    ],
    read: [
      "Tasks of devices with their operators, extents, types and cycles, the calls that put them, copies with bytes, collectives with their messages; of torch_npu ops, modules, call stacks, the queue, garbage collection and the allocators' memory. A folder is read by the `info.json` of its host.",
      'Where the tool has parsed the folder, its output is read instead. Structures that are cut off, and kinds of files and structures that are not read, are counted.',
      'The layouts are those of public sources; no capture was at hand to check them against. Details: docs/ascend-raw.md.',
    ],
  },
  ntff: {
    made: [
      '`neuron-profile capture -n model.neff -s profile.ntff`, or `NEURON_RT_INSPECT_ENABLE=1` with `NEURON_RT_INSPECT_DEVICE_PROFILE=1` around any program; keep the NEFF in the same folder',
    ],
    read: [
      'Every instruction of every engine as a kernel (stream: the engine), with operands, multiply-accumulates and bytes of each memory as its words have them; DMA packets as copies with the transfer and the tensor that they move, semaphores, throttling and memory use as samples. Neither AWS tools nor a database nor a device is needed.',
      "Times are picoseconds of the device; `start` and `dur` are the nanoseconds that the vendor's tool shows, and `ps` has what is beyond them.",
      "Names, types and shapes of tensors and the version of the compiler come from the NEFF: the one of `--neff`, else the one in the folder of the input with the same identity. So do the compiler's names of instructions, what each depends on, the variables that transfers move, and layers, operations of the compiler's graph and lines of source, where it was compiled with them.",
      "A folder gives all its workers (`profile_rank_0.ntff`, `profile_rank_0_exec_2.ntff`, `<hash>_instid_0_vnc_0.ntff`) in one stream; a trace is skipped when its folder holds the tool's report of it (`X_profile_full.json`).",
      "The layout was read off captures of version 6 and checked against the vendor's report of the same runs; other versions are refused. Details: docs/neuron-instructions.md.",
    ],
  },
  neff: {
    made: ['the Neuron compiler; the runtime leaves it next to a capture as `neff_<hash>.neff`'],
    read: [
      'Versions, features, identity; inputs, outputs and weights with type, shape and size. Weights themselves are passed over. Instructions and their debug information are read with a device trace only.',
    ],
  },
  'neuron-json': {
    made: ['`neuron-profile view -n model.neff -s profile.ntff --output-format json --output-file profile.json`'],
    read: [
      "Instructions with operands, HLO name, layer, multiply-accumulates, bytes of each memory and what they waited for; DMA packets; semaphores, throttling, memory use, layers, warnings; the tool's own summary.",
      'The file, which is a single line of any size, is read as a stream. Ids beyond 2^53 are kept as text.',
    ],
  },
  'neuron-summary': {
    made: ['`neuron-profile view -n model.neff -s profile.ntff --output-format summary-json` (or `summary-text`)'],
    read: ['Every metric as a sample, of one node or several. What the tool calls percent is a fraction from 0 to 1.'],
  },
  'neuron-monitor': {
    made: ['`neuron-monitor | tee monitor.jsonl`; live: `neuron-monitor | dparse - | dprof monitor`'],
    read: [
      'Every value of every group as a sample: utilisation and FLOP/s of cores, memory by kind, latencies, errors, ECC, processors. Reports have no time of their own: they are numbered, and placed by their periods.',
      'From a pipe, records are written as each report comes.',
    ],
  },
  ncu: {
    made: [
      '`ncu --csv --page raw python train.py > counters.csv` (`--page details` too), or of a report: `ncu --import report.ncu-rep --csv --page raw`',
    ],
    read: [
      'Kernels with their counters, duration, grid, block, registers and shared memory; no starts and no ops. Of the raw page a row is a launch, of others a metric. Numbers of any locale; units become ns, bytes, Hz.',
      '`dparse --ncu counters.csv net.sqlite` gives the kernels of a profile with times the counters of the same program: the nth launch of a name, grid and block those of the nth such launch in the report; what is left over on either side is counted. `hwflops`, `hwbytes` and `hwtc` are next to `flops`, `bytes` and `tc` then, and `counter:NAME` is any counter.',
      'Written and tested from the documented columns; not tried on real files yet.',
    ],
  },
};

function format({ id, title }: (typeof READERS)[number]): string {
  const notes = NOTES[id];
  if (notes === undefined) throw new Error(`docs/pages/formats.ts has no notes for the format ${id}`);
  return [`### ${code(id)}: ${title}`, `Made by ${notes.made.join('; or ')}.`, list(notes.read)].join('\n\n');
}

export const formatsPage = (): string =>
  page(
    NOTICE,
    '# Formats',
    'What `dparse` reads. The format is detected by content, never by name; `--format ID` overrides it. Inputs are files, folders (all profiles in them), globs, or `-` for standard input, each also gzipped. A rank in the file name (`rank_3`, `_r3`, `.3.`) is taken for the rank of the process where the profile itself has none.',
    'Inputs are opened read-only; nothing is written next to them. What is compressed or comes from standard input is unpacked into the folder for temporary files (`TMPDIR`).',
    '## Read',
    ...READERS.map(format),
    '`dprof` also reads the `net.dict` of PyProf and PyProf2. It has no start times, processes, launches or copies, so the columns made of these are unknown. Lines of text among its kernels, which the scripts print of their progress or failure, are passed over and said. `dparse -f pyprof` writes one for scripts that read it, with its numbering of kernels (`subSeqId`) anew in every call, where PyProf counts on over calls that share a sequence id: a kernel is the first of its call at 0, which formulas rely on.',
    '## Recognised, and what to do',
    table(
      ['input', 'what to do'],
      [...UNREADABLE, ...UNREADABLE_DATABASES].map(({ title, hint }) => [title, hint]),
    ),
    '## What was odd',
    'No kernel is dropped because something is wrong with its row: the cell is unknown, and the end line of the records counts the reason under `diagnostics`. A loss is what the input has and could not be read, so that figures rest on a part of it: every command of `dprof` says it on stderr, also with `-q`, behind answers in text and Markdown, in JSON as `doubts`, and on the page. A doubt is what was read and may be otherwise; a note is as it should be.',
    table(
      ['name', 'severity', 'counts'],
      Object.entries(DIAGNOSTICS).map(([name, [severity, meaning]]) => [code(name), severity, meaning]),
    ),
  );
