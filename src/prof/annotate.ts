/**
 * A kernel with its derived values: the op and module to print, FLOPs, bytes, use of the matrix unit, roofline. Each value
 * is computed on first access, so that a report pays only for its own columns.
 */
import { collectiveOfCalls, collective } from '../ops/families/collective.js';
import type { Convention, KernelRole } from '../ops/family.js';
import type { ResolvedWork } from '../ops/resolve-work.js';
import { fusedOps } from '../ops/kernels/fused-ops.js';
import type { Category } from '../ops/category.js';
import { categoryOfCalls, familyOf } from '../ops/table.js';
import { isWait } from '../record/wait-calls.js';
import { communicates } from './steps/step-work.js';
import type { TensorCore } from '../ops/kernels/tensor-core.js';
import { isNeuronInstruction } from '../record/neuron/neuron-cores.js';
import type { Collective } from '../record/fields/collective.js';
import type { Device, KernelRecord, OpCall, ProfileRecord } from '../record/record.js';
import type { ServingStep } from '../record/serving-step.js';
import type { Pairing } from './work/forward-pairing.js';
import { servingStepOf } from './steps/serving/served-times.js';
import { occupancyOf, type Occupancy } from './roofline/occupancy.js';
import { peaksOf, type Peaks } from './roofline/peaks.js';
import { NO_ROOF, classifyRoofline, roofOf, type Load, type Placement, type Roof } from './roofline/roofline.js';
import { workInShare, workOfCollective, type DerivedWork } from './work/derived-work.js';
import { withoutArguments, type Recorded } from './work/capture-options.js';
import type { MatrixUnitUse, JudgedKernel, MatrixUnitCell, WorkModel } from './work/work-model.js';
import { workModelOf } from './work/work-models.js';
import { statedDevice } from '../record/fields/stated-device.js';
import type { Column } from '../table/column.js';

/** Separates the names of the ops that were fused into a kernel. */
export const FUSED_SEPARATOR = '+';

/** A kernel with all its derived values, which are computed on first use. */
export class Annotated {
  #model: WorkModel | null = null;
  #derived: DerivedWork | null = null;
  #placement: Placement | null = null;
  /** Undefined until the first access. */
  #tc: MatrixUnitCell | undefined;
  #unitUse: MatrixUnitUse | null | undefined;
  #occupancy: Occupancy | null | undefined;
  #collective: { readonly of: Collective | null } | null = null;

  constructor(
    readonly record: KernelRecord,
    /** The profile line before the kernel; null when there was none. */
    readonly profile: ProfileRecord | null,
    readonly pairing: Pairing,
    /** Peak rates that the user gives for all devices; null to use those of the kernel's device. */
    private readonly givenPeaks: Peaks | null = null,
    /** Convention for counting work; null for the default. */
    readonly convention: Convention | null = null,
  ) {}

  /** Source of calls, layer, trace, module and op: the kernel itself, or its forward kernel. */
  get #context(): Pick<KernelRecord, 'calls' | 'mod' | 'op' | 'layer' | 'trace'> {
    return this.pairing.kind === 'paired' ? this.pairing.forward.context : this.record;
  }

  get calls(): readonly OpCall[] {
    const { calls } = this.#context;
    // The dispatcher calls around a forward kernel do not describe its backward kernels.
    return calls.every(({ from }) => from === undefined) && calls.length > 0 ? calls : this.record.calls;
  }
  get layer(): readonly string[] {
    return this.#context.layer;
  }
  get trace(): readonly string[] {
    return this.#context.trace;
  }

  /** Module of the outermost call; null if unknown. */
  get mod(): string | null {
    return known(this.#context.mod[0]);
  }

  /**
   * Op of the outermost call, else the op name that the kernel's family implies, else the ops that were fused into the
   * kernel; null if unknown.
   */
  get op(): string | null {
    return this.derived.label ?? known(this.#context.op[0]) ?? this.fused?.join(FUSED_SEPARATOR) ?? null;
  }

  /**
   * The forward op whose gradient the kernel computes. This is the recorded op; or else, among the calls around its
   * forward kernel, the innermost with a sequence id, or the innermost; or else the op of the forward kernel. Null when
   * not known.
   */
  get forwardOp(): string | null {
    const { forward } = this.record;
    if (forward !== undefined || this.pairing.kind !== 'paired') return forward?.op ?? null;
    const { calls, names, op } = this.pairing.forward.context;
    // Ops below autograd, such as `aten::cudnn_convolution` in `aten::convolution`, have no sequence id.
    const made = calls.findLast((call) => names.some((name) => name.slice(name.lastIndexOf(':') + 1) === call.op));
    return (made ?? calls.at(-1))?.op ?? known(op.at(-1));
  }

  /**
   * What the kernel computes: by the innermost op around its launch that states it, else by its name or its own operator;
   * null when neither does.
   */
  get category(): Category | null {
    if (isWait(this.record)) return 'wait';
    if (communicates(this.record)) return 'communication';
    return categoryOfCalls(this.calls) ?? this.model.categoryOf(this.record);
  }

  /** Ops that torch.compile fused into the kernel; null when its name lists none. */
  get fused(): readonly string[] | null {
    return fusedOps(this.record.name);
  }

  /** The collective operation that the kernel implements: the recorded one, else the one that the launching call names. */
  get collective(): Collective | null {
    return (this.#collective ??= { of: this.record.collective ?? collectiveOfCalls(this.record) }).of;
  }

  get derived(): DerivedWork {
    return (this.#derived ??=
      this.record.collective === undefined
        ? this.model.derive(
            this.calls,
            this.record,
            this.calls.some(readsLengths) ? this.serving : null,
            this.convention,
          )
        : workOfCollective(this.record.collective));
  }

  /**
   * The inference server's step in which the kernel was launched, by the launching thread or by the thread that it
   * works for; null for none.
   */
  get serving(): ServingStep | null {
    return servingStepOf(this.record);
  }

  /** Work model for the vendor of the kernel's device. */
  get model(): WorkModel {
    return (this.#model ??= workModelOf(this.record, this.#device));
  }

  /**
   * Sets the values that follow from the kernel's share of its op's work; they replace those that follow from its name
   * alone.
   */
  assign(derived: DerivedWork): void {
    this.#derived = derived;
    this.#placement = null;
    this.#tc = undefined;
    this.#unitUse = undefined;
  }

  /**
   * The part of the kernel with a share of its time, and of its work.
   * @param record the kernel's record, with the times of the part
   */
  cutTo(record: KernelRecord, share: number): Annotated {
    const part = new Annotated(record, this.profile, this.pairing, this.givenPeaks, this.convention);
    part.assign(workInShare(this.derived, share));
    return part;
  }

  /** The innermost call that has a work formula, and the work that it assigns to this kernel. */
  get described(): ResolvedWork | null {
    return this.derived.described;
  }

  /** Floating-point operations; a fused multiply-add counts as 2. */
  get flops(): number | null {
    return this.described?.work.flops ?? null;
  }
  /** Minimum memory traffic in bytes. */
  get bytes(): number | null {
    return this.described?.work.bytes ?? null;
  }
  get role(): KernelRole | null {
    return this.described?.work.role ?? null;
  }

  /** Theoretical occupancy of a multiprocessor; null when the launch configuration or the device is unknown. */
  get occupancy(): Occupancy | null {
    if (this.#occupancy === undefined) this.#occupancy = occupancyOf(this.record, this.#arch);
    return this.#occupancy;
  }

  /** Value of the column `tc`. */
  get tc(): MatrixUnitCell {
    if (this.#tc === undefined) this.#tc = this.model.matrixUnitCell(this.#judged) ?? this.#cellOfNoProduct;
    return this.#tc;
  }

  /** Communication and waits multiply nothing, even where no op describes them. */
  get #cellOfNoProduct(): MatrixUnitCell {
    return communicates(this.record) || isWait(this.record) ? '-' : null;
  }

  get #judged(): JudgedKernel {
    return { record: this.record, arch: this.#arch, described: this.described };
  }

  /** Whether the kernel ran on the matrix unit, according to its name alone or to the device's counters. */
  get tensorCore(): TensorCore {
    return this.model.verdictOf(this.record, this.#arch);
  }

  /** FLOPs of the matrix unit according to the device's counters; null when it has no such counter. */
  get countedFlops(): number | null {
    return this.model.countedFlops?.(this.record) ?? null;
  }

  get #device(): Device | null {
    return statedDevice(this.profile, this.record.device);
  }

  /** Peak rates of the kernel's device. */
  get peaks(): Peaks {
    return this.givenPeaks ?? peaksOf(this.#device);
  }

  /** Architecture of the kernel's device; undefined when neither the profile nor the device's name gives it. */
  get #arch(): string | undefined {
    return this.peaks.arch ?? this.#device?.arch ?? undefined;
  }

  /** Whether the kernel computes a matrix product or convolution, which a matrix unit could do. */
  get isProduct(): boolean {
    const { tc } = this;
    return tc === 0 || tc === 1 || tc === '?';
  }

  /** Element type, eligibility and reasons: by the op that describes the kernel, else by the name of a product; or null. */
  get unitUse(): MatrixUnitUse | null {
    if (this.#unitUse !== undefined) return this.#unitUse;
    return (this.#unitUse = this.model.matrixUnitUse(this.#judged, this.isProduct));
  }

  /** FLOPs that a matrix unit could do, which are those of products; null if unknown. */
  get productFlops(): number | null {
    if (this.described === null) return null;
    return this.isProduct ? this.flops : 0;
  }

  /** The kernel's rates, and its position under the roofline of its device. */
  get placement(): Placement {
    return (this.#placement ??= this.placementOn(this.peaks));
  }

  /** The same under the roofline of a device with other peak rates, if the kernel took as long there. */
  placementOn(peaks: Peaks): Placement {
    return classifyRoofline(this.load, this.roofOn(peaks));
  }

  /** The work and time from which rates are computed. */
  get load(): Load {
    const { described, flops, bytes, record } = this;
    return {
      flops,
      // Work that continues after the kernel's end has no rate.
      bytes: described?.work.outlasted === true ? null : bytes,
      dur: record.dur !== null && Number.isFinite(record.dur) ? record.dur : null,
    };
  }

  /** The rates of a device that limit the kernel. */
  roofOn(peaks: Peaks): Roof {
    const { described, unitUse, tc } = this;
    if (described?.family === collective) return NO_ROOF;
    const arithmetic = {
      dtype: unitUse?.dtype ?? null,
      tc: described === null ? null : tc,
      eligible: unitUse?.eligible ?? null,
      halfSums: unitUse?.halfSums ?? false,
      shortcut: unitUse?.shortcut === true || described?.work.shortcut === true,
    };
    return roofOf(arithmetic, peaks);
  }

  /**
   * Time from the end of the launch call to the start of the kernel, in ns; null when unknown or when the launch ended
   * after the kernel's start.
   */
  get queueTime(): number | null {
    const { launch, start } = this.record;
    const time = launch === null ? -1 : start - (launch.start + launch.dur);
    return time >= 0 ? time : null;
  }

  /** Why FLOPs or bytes are unknown; null when they are known. */
  get reason(): string | null {
    const { described } = this;
    if (described !== null) {
      const { flops, bytes, unknown } = described.work;
      if (flops !== null && bytes !== null) return null;
      if (haveNoArguments(this.calls)) return withoutArguments(namesOf(this.calls), this.profile);
      return unknown ?? `the arguments of ${described.call.op} do not determine them`;
    }
    const why = this.model.whyUnknown?.(this.record);
    if (why !== undefined) return why;
    if (this.calls.length > 0) return withoutFormula(this.calls, this.profile);
    if (this.op !== null && this.pairing.kind === 'own') return withoutArguments(this.op, this.profile);
    return whyWithoutCall(this.pairing, this.record, this.profile !== null);
  }
}

const readsLengths = (call: OpCall): boolean => familyOf(call)?.lengths === true;

const known = (name: string | undefined): string | null =>
  name === undefined || name === '' || name === 'na' ? null : name;

const namesOf = (calls: readonly OpCall[]): string => calls.map((call) => call.op).join(' > ');

const haveNoArguments = (calls: readonly OpCall[]): boolean =>
  calls.length > 0 && calls.every(({ from, args }) => from === 'dispatcher' && args.length === 0);

function withoutFormula(calls: readonly OpCall[], profile: Recorded | null): string {
  const names = namesOf(calls);
  const some = calls.some((call) => familyOf(call) !== null);
  if (some && haveNoArguments(calls)) return withoutArguments(names, profile);
  return some ? `the arguments of ${names} do not fit a formula` : `no formula for ${names}`;
}

/** Why a kernel whose calls are those around its own launch has none. */
export const WITHOUT_CALL = {
  'no-launch': 'its launch is not in the profile',
  'no-op': 'no op call around the launch',
  'graph-without-op': 'no op call around the launch of its graph',
} as const;

/**
 * Why a kernel has no call.
 * @param isProfile whether the records come from a profile, which has launches; a net.dict of PyProf has none
 */
function whyWithoutCall(pairing: Pairing, record: KernelRecord, isProfile: boolean): string {
  const id = String(record.seq[0]);
  switch (pairing.kind) {
    case 'ambiguous':
      return `${pairing.threads} threads have a forward kernel with sequence id ${id}`;
    case 'no-forward':
      return `no earlier forward kernel with sequence id ${id}`;
    case 'no-id':
      return 'a backward kernel without a sequence id';
    case 'paired':
      return `no op call around its forward kernel ${pairing.forward.id}`;
    case 'own':
      if (isProfile && record.launch === null) return WITHOUT_CALL['no-launch'];
      return WITHOUT_CALL[record.graph === undefined ? 'no-op' : 'graph-without-op'];
  }
}

/** A column whose rows are annotated kernels. */
export type KernelColumn = Column<Annotated>;

/** Reasons for unknown ops whose text would otherwise contain the kernel's own numbers. */
const BY_PAIRING: Readonly<Partial<Record<Pairing['kind'], string>>> = {
  ambiguous: 'several threads have a forward kernel with the same sequence id',
  'no-forward': 'no earlier forward kernel with the same sequence id',
  paired: 'no op call around its forward kernel',
};

/** Why the op is unknown; null when it is known, even without a formula. */
export function whyUnattributed(row: Annotated): string | null {
  if (row.calls.length > 0 || row.op !== null) return null;
  const { record, pairing, profile } = row;
  if (isNeuronInstruction(record)) return "the profile lacks the instruction's op";
  return BY_PAIRING[pairing.kind] ?? whyWithoutCall(pairing, record, profile !== null);
}
