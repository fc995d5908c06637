/** A family of ops: maps a call and a kernel that it launched to the work of that kernel. */
import type { Direction, Extent, OpCall } from '../record/record.js';
import type { ServingStep } from '../record/serving-step.js';
import type { Tensor } from './call.js';
import type { Category } from './category.js';

/**
 * Convention for counting work, where conventions differ. `pyprof`: Python function calls count as in PyProf; by
 * default they count as the dispatcher's ops of the same names.
 */
export const CONVENTIONS = ['pyprof'] as const;
export type Convention = (typeof CONVENTIONS)[number];

/** Facts about a kernel. */
export interface KernelFacts {
  /** Full demangled name. */
  readonly name: string;
  /** Name shortened for display. */
  readonly short: string;
  /**
   * `bprop`: the call is a forward call, and the kernel computes a part of its gradient. Always `fprop` for a dispatcher
   * call, because the kernel runs the call itself, in any pass.
   */
  readonly dir: Direction | null;
  /** Ordinal among consecutive kernels with the same op and sequence id; always 0 for a dispatcher call. */
  readonly sub: number;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  /**
   * The server's step that launched it, as stated by the name of a range; null or absent when there is none. See
   * `Family.lengths`.
   */
  readonly serving?: ServingStep | null;
  /** Convention for counting its work; null or absent for the default. */
  readonly convention?: Convention | null;
}

/**
 * The role of a kernel in its op. The op's work is attributed to its main kernels once; helpers (layout change, split-K
 * reduction, workspace fill) and trials of an algorithm have no work.
 */
export type KernelRole = 'main' | 'dgrad' | 'wgrad' | 'bias' | 'helper' | 'trial';

/** One `key=value` of the params column; only the value when the key is ''. */
export type Param = readonly [key: string, value: string | number];

/**
 * FLOPs of an op, and the tensors that it reads and writes. `workOf` (work.ts) computes a kernel's `Work` from it. Every
 * formula of a family is a function from a call to an `OpCost`.
 */
export interface OpCost {
  /** Floating-point operations, where a fused multiply-add counts as 2; null if unknown, and `unknown` says why. */
  readonly flops: number | null;
  /**
   * Tensors that are read; a tensor that is read twice is listed twice. By default none; in a rule, those that its
   * signature marks.
   */
  readonly reads?: readonly Tensor[];
  /** Tensors written; null when their extents are unknown, and `unknown` says why. */
  readonly writes: readonly Tensor[] | null;
  readonly params: readonly Param[];
  /** Formulas of flops and bytes with symbols, for --explain. */
  readonly formula: string;
  /** Source of the formula; in a rule, by default the source of its family. */
  readonly source?: string;
  /** The kernel's role; `main` by default. */
  readonly role?: KernelRole;
  /** Whether a matrix unit could do the op; false by default. */
  readonly matmul?: boolean;
  /** Whether it consists of several products (attention, two linear layers), computed by kernels with different names. */
  readonly severalProducts?: boolean;
  /** Whether this cost follows from the kernel's name alone, whatever the call's other kernels compute. */
  readonly byName?: boolean;
  /** Why flops or writes are null. */
  readonly unknown?: string;
}

/** The work of one kernel, or of a whole op. */
export interface Work {
  readonly role: KernelRole;
  /** Floating-point operations, where a fused multiply-add counts as 2; null if unknown. */
  readonly flops: number | null;
  /** Minimum memory traffic: each operand read once, each result written once; null if unknown. */
  readonly bytes: number | null;
  readonly params: readonly Param[];
  /** Whether a matrix unit could do the op (matmul-like). */
  readonly matmul: boolean;
  /** Whether the op consists of several products: see `OpCost`. */
  readonly severalProducts?: true;
  /**
   * Whether the op's kernels do fewer operations than are counted (Winograd, FFT), according to the name of one of them.
   */
  readonly shortcut?: boolean;
  /** As `OpCost.byName`: the kernel's name alone determines this work. */
  readonly byName?: true;
  /** Whether the kernel ends before the transfers that it starts, so that its duration does not show their rate. */
  readonly outlasted?: true;
  /**
   * Present when it is unspecified whether the op computes this part. It does if one of its kernels is named after the
   * part.
   */
  readonly perhaps?: true;
  /** Replaces the op's name in the op column (a linear layer's bias kernel prints `bias`, as in PyProf). */
  readonly label?: string;
  /** How flops and bytes were obtained, for --explain: a formula with symbols. */
  readonly formula: string;
  /** Source of the formula. */
  readonly source: string;
  /** Why flops or bytes are null. */
  readonly unknown?: string;
}

/** Matches every op, as `Family.onlyMoves`. */
export const ALL_OPS = /^/;

/** A family of ops that share formulas. */
export interface Family {
  readonly id: string;
  /** One line for the generated docs. */
  readonly title: string;
  /**
   * What its ops compute; by call where they differ. Null where neither the op nor its arguments determine it, so that the
   * kernel's name does.
   */
  readonly category: Category | null | ((call: OpCall) => Category | null);
  /** Op names without `aten::` and overloads; `mod.op` for the op of a single module. A trailing `*` matches any suffix. */
  readonly ops: readonly string[];
  /** Formulas with symbols, for the generated docs. */
  readonly formulas: readonly string[];
  /** Matches the ATen ops that only move elements: they have no FLOPs, whatever their arguments. */
  readonly onlyMoves?: RegExp;
  /** Whether its formulas read sequence lengths from the server's step; otherwise kernels are passed without it. */
  readonly lengths?: true;
  /**
   * The work of one kernel of the call; null when the call's arguments do not fit, and the next outer call is tried. Must
   * not throw, whatever the arguments.
   */
  work(call: OpCall, kernel: KernelFacts): Work | null;
  /**
   * The parts of an op that computes several results with separate kernels (the input, weight and bias gradient of a
   * convolution); null for any other op. Each part is attributed to the kernels whose `work` has its role.
   */
  parts?(call: OpCall): readonly Work[] | null;
}

/** `key=value`, or only the value when there is no key; without blanks. */
export function renderParam([key, value]: Param): string {
  const text = key === '' ? String(value) : `${key}=${value}`;
  return /\s/.test(text) ? text.replace(/\s+/g, '') : text;
}

/** The params column: each parameter with a comma after it (`M=4096,N=(8,128),K=1024,fp16,`). */
export const renderParams = (params: readonly Param[]): string =>
  params.map((param) => `${renderParam(param)},`).join('');
