/** A family of ops: from a call and the kernel it launched to the work of that kernel. */
import type { Direction, Extent, OpCall } from '../record/record.js';
import type { ServingStep } from '../record/serving-step.js';
import type { Tensor } from './call.js';

/**
 * How work is counted where conventions differ. `pyprof`: calls of Python functions as PyProf counts them; by default they
 * count as the dispatcher's ops of the same names.
 */
export const CONVENTIONS = ['pyprof'] as const;
export type Convention = (typeof CONVENTIONS)[number];

/** What is known of a kernel. */
export interface KernelFacts {
  /** Full demangled name. */
  readonly name: string;
  /** Name shortened for display. */
  readonly short: string;
  /**
   * `bprop`: the call is a forward call, the kernel part of its gradient. For a call of the dispatcher always `fprop`:
   * the kernel runs the call itself, in whatever pass.
   */
  readonly dir: Direction | null;
  /** Ordinal among consecutive kernels of the same op and sequence id; always 0 for a call of the dispatcher. */
  readonly sub: number;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  /** The server's step that launched it, as the name of a range states it; null or absent for none. See `Family.lengths`. */
  readonly serving?: ServingStep | null;
  /** How its work is counted; null or absent for the default. */
  readonly convention?: Convention | null;
}

/**
 * What a kernel does for its op. The op's work is attributed to its main kernels once; a helper (layout change, split-K
 * reduction, workspace fill) has none, nor has a trial of an algorithm.
 */
export type KernelRole = 'main' | 'dgrad' | 'wgrad' | 'bias' | 'helper' | 'trial';

/** One `key=value` of the params column; a bare value when the key is ''. */
export type Param = readonly [key: string, value: string | number];

/**
 * What an op computes and moves: its FLOPs and the tensors that it reads and writes. `workOf` (work.ts) makes the `Work`
 * of a kernel from it. Every formula of a family is a function from a call to an `OpCost`.
 */
export interface OpCost {
  /** Floating-point operations, a fused multiply-add counted as 2; null when not known, and `unknown` says why. */
  readonly flops: number | null;
  /** Tensors read, one that must be read twice listed twice. By default none; in a rule, what its signature marks. */
  readonly reads?: readonly Tensor[];
  /** Tensors written; null when their extents are not known, and `unknown` says why. */
  readonly writes: readonly Tensor[] | null;
  readonly params: readonly Param[];
  /** Formulas of flops and bytes with symbols, for --explain. */
  readonly formula: string;
  /** Where the formula comes from; in a rule by default the source of its family. */
  readonly source?: string;
  /** By default `main`. */
  readonly role?: KernelRole;
  /** Whether a matrix unit could do the op; by default not. */
  readonly matmul?: boolean;
  /** Whether it is more than one product (attention, two linear layers), which kernels of several names share. */
  readonly severalProducts?: boolean;
  /** Why flops or writes are null. */
  readonly unknown?: string;
}

/** The work of one kernel, or of a whole op. */
export interface Work {
  readonly role: KernelRole;
  /** Floating-point operations, a fused multiply-add counted as 2; null when not known. */
  readonly flops: number | null;
  /** Least memory traffic: each operand read once, each result written once; null when not known. */
  readonly bytes: number | null;
  readonly params: readonly Param[];
  /** Whether a matrix unit could do the op (matmul-like). */
  readonly matmul: boolean;
  /** Whether the op is more than one product: see `OpCost`. */
  readonly severalProducts?: true;
  /** Whether the kernels of the op do less than is counted (Winograd, FFT), by the name of one of them. */
  readonly shortcut?: boolean;
  /** Whether the kernel ends before the transfers that it starts: its duration says nothing of their rate. */
  readonly outlasted?: true;
  /** Whether it is unspecified if the op computes this part: it does if one of its kernels is named after the part. */
  readonly perhaps?: true;
  /** Replaces the op's name in the op column (a linear layer's bias kernel prints `bias`, as in PyProf). */
  readonly label?: string;
  /** How flops and bytes were obtained, for --explain: formula with symbols. */
  readonly formula: string;
  /** Where the formula comes from. */
  readonly source: string;
  /** Why flops or bytes are null. */
  readonly unknown?: string;
}

/** A family of ops that share formulas. */
export interface Family {
  readonly id: string;
  /** One line for the generated docs. */
  readonly title: string;
  /**
   * Op names without `aten::` and overloads; `mod.op` for the op of one module alone. A trailing `*` matches any suffix.
   */
  readonly ops: readonly string[];
  /** For the generated docs: formulas with symbols. */
  readonly formulas: readonly string[];
  /** Whether its formulas read the lengths of sequences from the server's step; only then kernels have it. */
  readonly lengths?: true;
  /**
   * The work of one kernel of the call; null when the call's arguments do not fit, and the next outer call is tried. Must
   * not throw, whatever the arguments.
   */
  work(call: OpCall, kernel: KernelFacts): Work | null;
  /**
   * The parts of an op that computes several results with kernels of their own (the input, weight and bias gradient
   * of a convolution); null for any other. Each part is attributed to the kernels whose `work` has its role.
   */
  parts?(call: OpCall): readonly Work[] | null;
}

/** `key=value`, or the value alone where there is no key; without blanks. */
export function renderParam([key, value]: Param): string {
  const text = key === '' ? String(value) : `${key}=${value}`;
  return /\s/.test(text) ? text.replace(/\s+/g, '') : text;
}

/** The params column: each parameter with a comma after it (`M=4096,N=(8,128),K=1024,fp16,`). */
export const renderParams = (params: readonly Param[]): string =>
  params.map((param) => `${renderParam(param)},`).join('');
