/**
 * Where our records and reports differ from PyProf2's and NVIDIA PyProf's for reasons other than an op's formula.
 * tests: test/parse/references.test.ts compares records row by row, test/parse/marker-rules.test.ts rule by rule,
 * test/prof/reference.test.ts and test/write/formats.test.ts the reports.
 */

/** One rule. "PyProf" means both references where neither is named. */
interface RecordDifference {
  readonly title: string;
  readonly reference: string;
  readonly ours: string;
  readonly why: string;
  /** Columns, record fields or outputs in which it shows. */
  readonly shows: string;
}

export interface Topic {
  readonly title: string;
  readonly differences: readonly RecordDifference[];
}

const LAUNCHES: Topic = {
  title: 'Kernels and their launches',
  differences: [
    {
      title: 'order of rows in the database',
      reference:
        "ranges that ended before a kernel's launch are deleted after it, so kernels stored in another order lose their context silently; rows come out as stored",
      ours: 'one sweep over each thread in time order; kernels are sorted by start',
      why: 'the order of rows means nothing in a database',
      shows: 'all columns but those of the kernel itself; order of rows',
    },
    {
      title: 'ranges that start or end in the same nanosecond as the launch call',
      reference: 'do not enclose it',
      ours: 'enclose it',
      why: 'clocks are coarser than a nanosecond, and ranges are closed intervals',
      shows: 'context of the kernel',
    },
    {
      title: 'kernels without a launch call in the profile',
      reference: 'PyProf2 and nvprof files: the run stops; NVIDIA PyProf with Nsight files: the kernel is left out',
      ours: 'kept, context unknown, counted as `kernel-without-launch`',
      why: 'they kept the device busy; captures cut to a window have many',
      shows: 'rows; launch, pid and tid null',
    },
    {
      title: 'trials of a library that chooses an algorithm (`cudnn.benchmark`)',
      reference: 'each of them has the FLOPs and bytes of the call',
      ours: 'role `trial`, 0 FLOPs and bytes, if one call launched products of three or more names; the last product is the chosen algorithm',
      why: 'a call does its work once; with tens of warm-up trials it was counted tens of times',
      shows: 'flops, bytes, tc, role',
    },
    {
      title: 'two rows for one launch call (runtime and driver)',
      reference: 'PyProf2: the run stops; NVIDIA PyProf: the kernel comes out twice',
      ours: 'one kernel; the runtime row is taken, else the outermost; counted as `duplicate-launch-row`',
      why: 'it ran once',
      shows: 'rows',
    },
    {
      title: 'several processes in one file',
      reference: 'PyProf2 joins on the correlation id alone and stops; NVIDIA PyProf joins on the process too',
      ours: 'joined on process and correlation id; the process is a column',
      why: 'correlation ids restart in every process',
      shows: 'pid',
    },
    {
      title: 'clock skew and rows without a valid end',
      reference: 'a kernel that starts before its launch, or that does not end after its start, stops the run',
      ours: 'kept and counted; a missing duration is unknown',
      why: 'one bad row must not affect the others',
      shows: 'sil, queue',
    },
    {
      title: 'names shortened for display',
      reference: '`void`, `at::`, `cuda::`, `native::` are cut everywhere, then everything from the first `<` or `(`',
      ours: 'the name is parsed: only whole namespaces are removed, and `cutlass::Kernel<…>` keeps the name of the kernel that it runs',
      why: '`cutlass::Kernel` alone makes all its kernels look the same',
      shows: 'kernel',
    },
  ],
};

const MARKERS: Topic = {
  title: 'Ranges and their texts',
  differences: [
    {
      title: '`__getattr__` among the calls',
      reference: 'a call like any other, and printed as the op where it is the outermost',
      ours: 'no call',
      why: "newer PyTorch resolves names through a module's `__getattr__`, which PyProf wraps like an op: every kernel would have that name",
      shows: 'calls, op, mod, dir',
    },
    {
      title: 'parsing of marker strings',
      reference: 'evaluated as Python, so code in a profile runs; a text that only looks like a marker stops the run',
      ours: 'parsed as literals, never evaluated; any other text is a plain range, counted as `marker-not-literal`',
      why: 'a profile is data, not code',
      shows: 'calls, trace, ranges',
    },
    {
      title: 'names of autograd ranges since PyTorch 1.11',
      reference: '`op_id`, `sizes` and `input_op_ids` after the sequence number stop the run',
      ours: 'accepted; the op is the innermost one, its module `aten` where the text says `aten::`',
      why: 'since 1.11 ops nest, and the innermost launches the kernel',
      shows: 'op, mod, seq',
    },
    {
      title: 'registered strings',
      reference: 'a range whose text stands in the string table stops the run',
      ours: 'read',
      why: 'libraries and newer PyTorch register their strings',
      shows: 'all context',
    },
    {
      title: 'layers',
      reference: '`layer:` anywhere in a text names a layer, which ends at the next colon',
      ours: 'only at the start of the text; colons belong to the name',
      why: '`player: x` does not name a layer, and `layer:encoder:0` is not the layer `encoder`',
      shows: 'layer',
    },
    {
      title: 'frames left out of the call stack',
      reference: "PyTorch's files from 2020 and PyProf's own",
      ours: "these, `/torch/_tensor.py` and pyprof2's own",
      why: 'the files were renamed since; they do not belong to the program',
      shows: 'trace',
    },
    {
      title: 'the op where only plain ranges have it',
      reference: 'any of them: their order depends on the hash seed of the Python run',
      ours: "the innermost range of the program's own; ranges in a library's domain (NCCL, cuBLAS) do not count",
      why: 'the same input must give the same output',
      shows: 'op',
    },
    {
      title: 'ranges that end on another thread',
      reference: 'treated as ranges of the thread on which they started',
      ours: 'skipped, counted as `range-across-threads`',
      why: 'they nest with the calls of neither of the two threads',
      shows: 'context of the kernel',
    },
  ],
};

const SEQUENCE: Topic = {
  title: 'Direction, sequence ids, numbering',
  differences: [
    {
      title: 'backward nodes',
      reference: 'only names on `Backward` and `Backward0`: `MeanBackward1`, `AccumulateGrad` and the like are forward',
      ours: '`Backward`, `Backward0` to `Backward9` and so on, `Backwards` and `AccumulateGrad` are backward',
      why: 'overloads number their nodes',
      shows: 'dir',
    },
    {
      title: 'names of backward nodes',
      reference: '`ReluBackward0` stays as it is, in a list with the ops inside it',
      ours: 'the name without the ending (`Relu`), backward ops only',
      why: 'PyProf does the same for `ReluBackward`, from before nodes had numbers',
      shows: 'op of kernels without a call',
    },
    {
      title: 'kernels without any range of the framework',
      reference: 'forward',
      ours: 'unknown: null, `na`',
      why: 'the optimiser, data loading and code outside the framework are neither',
      shows: 'dir',
    },
    {
      title: 'the list of ids of a kernel',
      reference: 'modified while iterating, so every second id of another op stays',
      ours: 'the chosen id; the others are in `altSeq`',
      why: 'what PyProf intends',
      shows: 'seq, altseq',
    },
    {
      title: 'order of markers and ids',
      reference: 'as text: 10 before 9',
      ours: 'as numbers',
      why: 'they are numbers',
      shows: 'record field `seqMarker`',
    },
    {
      title: 'the id of a backward kernel',
      reference: 'the smallest of the ids around the launch',
      ours: "the id of the autograd node, else the smallest; since PyTorch 1.11 the innermost op's id in the forward pass",
      why: 'ops inside a node may carry ids of a graph that is being built',
      shows: 'seq, and by it the paired forward call',
    },
    {
      title: 'numbering of the kernels of an op',
      reference:
        'one state for all threads and processes; numbering continues over calls that share an id (all calls outside autograd do) and over the time steps of a recurrent cell',
      ours: 'one state per thread; numbering restarts with every call',
      why: 'with one state, threads that launch alternately change the numbers of each other; formulas use the number to find the first kernel of a call',
      shows: 'sub, `subSeqId` of `dparse -f pyprof`, and FLOPs and bytes by it',
    },
    {
      title: 'the forward kernel of a backward one',
      reference: 'the last earlier kernel with the id, from any thread and process; found by a linear search',
      ours: 'from the same process; if several threads have the id, the thread whose op matches the node, else unknown; constant time',
      why: 'ids restart in every thread',
      shows: 'op, mod, layer, trace, FLOPs, bytes of backward kernels',
    },
    {
      title: 'calls within calls',
      reference:
        'the outermost describes the kernel: `cross_entropy` has no formula, although `log_softmax` inside it has',
      ours: 'the innermost with a formula; op and module shown are the outermost, as in PyProf',
      why: 'the innermost is nearest to what the kernel does',
      shows: 'params, FLOPs, bytes, tc',
    },
  ],
};

const REPORTS: Topic = {
  title: 'Reports',
  differences: [
    {
      title: 'unknown',
      reference: '0 FLOPs and 0 bytes; `na=na,` for params',
      ours: '`na` in text, null in JSON',
      why: 'a sum over zeros looks like an answer',
      shows: 'flops, bytes, params, tc',
    },
    {
      title: 'unknown op',
      reference: 'an empty cell, which shifts the fields for awk',
      ours: '`na`',
      why: 'every line has the same number of fields',
      shows: 'op',
    },
    {
      title: '`-w N`',
      reference:
        'blanks between columns are not counted, so the default columns are N + 7 wide; too small a width ends the run, with a message on stdout',
      ours: 'no line is wider than N; columns that do not fit are left out and named on stderr; a number that does not fit gets an exponent and is never cut',
      why: 'N is the width of the terminal',
      shows: 'columns format',
    },
    {
      title: 'CSV',
      reference: 'every cell in quotes; quotes inside are not doubled',
      ours: 'RFC 4180: quotes where they are needed, doubled inside',
      why: 'every CSV reader can read it',
      shows: 'csv format',
    },
    {
      title: 'FLOPs',
      reference: 'a float for some ops: `15052800.0`',
      ours: 'an integer',
      why: 'operations are counted',
      shows: 'flops',
    },
    {
      title: 'errors',
      reference: 'SQL messages on stdout, between the data; assertions that end the run at the first odd kernel',
      ours: 'one line on stderr and exit status 1 if the whole input cannot be read; otherwise an unknown cell',
      why: 'one bad kernel must not end the run',
      shows: 'stderr, exit status',
    },
  ],
};

export const RECORD_DIFFERENCES: readonly Topic[] = [LAUNCHES, MARKERS, SEQUENCE, REPORTS];
