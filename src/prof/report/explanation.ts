/** The document of `--explain -f json`: how the numbers of one kernel were computed. */
import type { Category } from '../../ops/category.js';
import type { Convention, KernelRole } from '../../ops/family.js';
import { operandsOf, patternOf, type AccessPattern, type OperandKind } from '../../ops/neuron/instruction-work.js';
import type { TypedBy } from '../../ops/schema/dtype-inference.js';
import { familyOf } from '../../ops/table.js';
import type { Peaks } from '../roofline/peaks.js';
import { originOf } from '../../record/fields/graph-node.js';
import type { Direction, Extent } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import type { ResolvedDependency } from '../neuron/instructions/dependencies.js';
import { explainedValues, type ExplainedValue } from './explained-values.js';
import { argumentText, isLaunched } from './explain.js';

/** Keys that are columns of kernels have the same meaning here. */
export interface ExplanationDocument {
  /** PROFILE:IDX. */
  readonly explain: string;
  readonly profile: number;
  readonly idx: number;
  readonly kernel: string;
  readonly long: string;
  readonly category: Category | null;
  readonly device: number | null;
  readonly stream: number | null;
  readonly engine: string | null;
  /** Times in ns. */
  readonly start: number | null;
  readonly sil: number | null;
  /** Whether the recorded end is impossible, so that the kernel ends where the next work of its stream begins. */
  readonly isCut: boolean;
  /** The computed values, each with its formula, inputs and source. */
  readonly values: readonly ExplainedValue[];
  readonly work: ExplainedWork | null;
  /** Op calls around the launch, outermost first. */
  readonly calls: readonly ExplainedCall[];
  /** Why there are no calls; null when there are some. */
  readonly whyNoCalls: string | null;
  readonly mod: string | null;
  readonly op: string | null;
  readonly layer: readonly string[];
  /** Call stack, outermost first. */
  readonly trace: readonly string[];
  readonly dir: Direction | null;
  readonly seq: readonly number[];
  readonly altseq: readonly number[];
  readonly sub: number;
  /** Markers of the framework from which the sequence ids were taken. */
  readonly markers: readonly string[];
  readonly forward: ExplainedForward | null;
  readonly matrixUnit: ExplainedMatrixUnit;
  readonly peaks: ExplainedPeaks;
  readonly launch: ExplainedLaunch | null;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  /** Registers per thread, and bytes of shared memory per block. */
  readonly regs: number | null;
  readonly smem: number | null;
  /** The node of the graph that launched it, and how its capture was found. */
  readonly graph: { readonly id: number | null; readonly node: number | null; readonly origin: string } | null;
  /** Ops that torch.compile fused into it. */
  readonly fused: readonly string[] | null;
  /** File with the source that was generated for it. */
  readonly generated: string | null;
  /** Operands of an instruction. */
  readonly operands: readonly ExplainedOperand[];
  /** Instructions for which an instruction waited. */
  readonly after: readonly ExplainedDependency[];
  /** Values of counters of the device or of its tool, by name. */
  readonly counters: Readonly<Record<string, number>>;
}

/** Where the FLOPs and bytes come from. */
interface ExplainedWork {
  /** Family of ops that has the formula. */
  readonly family: string;
  readonly title: string;
  readonly role: KernelRole;
  /** Work of the whole call: FLOPs, and bytes. */
  readonly ofCall: { readonly flops: number | null; readonly bytes: number | null };
  /** Number of kernels that the call launched and that share its work; null if unknown. */
  readonly kernels: number | null;
  /** Where types that the call lacks are from: the kernel's name, or its other operands; null when it lacks none. */
  readonly typesFrom: TypedBy | null;
  /** Convention for counting; null for the default. */
  readonly convention: Convention | null;
}

interface ExplainedCall {
  readonly mod: string;
  readonly op: string;
  /** `NAME=VALUE`, or only the value. */
  readonly arguments: readonly string[];
  /** Whether the work was computed from this call. */
  readonly describes: boolean;
  readonly hasFormula: boolean;
}

/** The forward op or kernel of a backward kernel. */
interface ExplainedForward {
  /** PROFILE:IDX of the forward kernel, which gives calls, layer and trace; null when the profile records the op itself. */
  readonly explain: string | null;
  readonly mod: string | null;
  readonly op: string | null;
  readonly tid: number | null;
  /** Start of the op in ns. */
  readonly start: number | null;
  /** What connects the two: an id, or the profile itself. */
  readonly by: 'seq' | 'altSeq' | 'profile';
}

interface ExplainedMatrixUnit {
  readonly verdict: string;
  /** Rule or counter that gives the verdict. */
  readonly rule: string;
  readonly judgedBy: string;
  /** Element type of the arithmetic. */
  readonly dtype: string | null;
  /** Whether the matrix unit could do the work; null if unknown. */
  readonly eligible: boolean | null;
  /** Why a product did not use it. */
  readonly heldBack: ExplainedReason | null;
  readonly slowedBy: ExplainedReason | null;
}

interface ExplainedReason {
  /** As in the column `tcwhy`. */
  readonly id: string;
  readonly text: string;
}

/** Peak rates of the device. */
interface ExplainedPeaks extends Pick<Peaks, 'origin' | 'source'> {
  readonly device: string;
}

interface ExplainedLaunch {
  readonly api: string | null;
  /** Times in ns. */
  readonly start: number;
  readonly dur: number;
  readonly pid: number | null;
  readonly tid: number | null;
}

interface ExplainedOperand {
  readonly kind: OperandKind;
  readonly name: string;
  readonly owner: string;
  readonly text: string;
  readonly pattern: AccessPattern | null;
}

interface ExplainedDependency {
  /** The tool's id. */
  readonly id: string;
  readonly kind: string;
  /** PROFILE:IDX; null when it is not among the earlier records. */
  readonly explain: string | null;
  readonly kernel: string | null;
  readonly engine: string | null;
  /** End in ns. */
  readonly end: number | null;
  readonly semaphore: string | null;
}

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

/** @param after the instructions that an instruction waited for */
export function explanation(row: Annotated, after: readonly ResolvedDependency[] = []): ExplanationDocument {
  const { record } = row;
  return {
    ...identityOf(row),
    values: explainedValues(row, isLaunched(row)),
    work: workOf(row),
    calls: callsOf(row),
    whyNoCalls: row.calls.length === 0 ? (row.reason ?? 'not recorded') : null,
    ...placeOf(row),
    matrixUnit: matrixUnitOf(row),
    peaks: { device: row.peaks.name, origin: row.peaks.origin, source: row.peaks.source },
    ...launchOf(row),
    operands: operandsOf(record.operands ?? '').map((operand) => ({ ...operand, pattern: patternOf(operand) })),
    after: after.map((dependency) => dependencyOf(record.profile, dependency)),
    counters: record.counters ?? {},
  };
}

function identityOf({ record, category }: Annotated) {
  const { profile, id: idx, short: kernel, name: long, device, stream, engine = null, start, dur, cut } = record;
  return {
    ...{ explain: `${profile}:${idx}`, profile, idx, kernel, long, category },
    ...{ device: finite(device), stream, engine, start: finite(start), sil: finite(dur), isCut: cut === true },
  };
}

function workOf({ described, record, convention }: Annotated): ExplainedWork | null {
  if (described === null) return null;
  const { family, work, whole, typedBy, index } = described;
  return {
    ...{ family: family.id, title: family.title, role: work.role },
    ofCall: { flops: whole.flops, bytes: whole.bytes },
    ...{ kernels: record.callKernels?.[index] ?? null, typesFrom: typedBy, convention },
  };
}

const callsOf = ({ calls, described }: Annotated): ExplainedCall[] =>
  calls.map((call, i) => ({
    ...{ mod: call.mod, op: call.op, arguments: call.args.map(argumentText) },
    ...{ describes: i === described?.index, hasFormula: familyOf(call) !== null },
  }));

function placeOf(row: Annotated) {
  const { mod, op, layer, trace, record } = row;
  const { dir, seq, altSeq: altseq, sub, seqMarker: markers } = record;
  return { mod, op, layer, trace, dir, seq, altseq, sub, markers, forward: forwardOf(row) };
}

function forwardOf({ pairing, record }: Annotated): ExplainedForward | null {
  if (pairing.kind === 'paired') {
    const { id, tid } = pairing.forward;
    return { explain: `${record.profile}:${id}`, mod: null, op: null, tid, start: null, by: pairing.by };
  }
  const { forward = null } = record;
  if (forward === null) return null;
  const { mod, op, tid, start } = forward;
  return { explain: null, mod, op, tid, start: finite(start), by: 'profile' };
}

function matrixUnitOf({ tensorCore, model, unitUse, tc }: Annotated): ExplainedMatrixUnit {
  return {
    ...{ verdict: tensorCore.verdict, rule: tensorCore.rule, judgedBy: model.judgedBy },
    ...{ dtype: unitUse?.dtype ?? null, eligible: unitUse?.eligible ?? null },
    ...{ heldBack: tc === 0 ? (unitUse?.why ?? null) : null, slowedBy: unitUse?.slowed ?? null },
  };
}

function launchOf({ record, fused }: Annotated) {
  const { launch, pid, tid, grid, block, registers, sharedBytes, graph, labels } = record;
  const generated = labels?.['kernel_file'];
  return {
    launch: launch === null ? null : { api: launch.api ?? null, start: launch.start, dur: launch.dur, pid, tid },
    ...{ grid, block, regs: registers ?? null, smem: sharedBytes ?? null },
    graph: graph === undefined ? null : { id: graph.id, node: graph.node, origin: originOf(graph) },
    ...{ fused, generated: typeof generated === 'string' ? generated : null },
  };
}

function dependencyOf(profile: number, { id, kind, on, semaphore }: ResolvedDependency): ExplainedDependency {
  const explain = on === null ? null : `${profile}:${on.kernel}`;
  return { id, kind, explain, kernel: on?.name ?? null, engine: on?.engine ?? null, end: on?.end ?? null, semaphore };
}
