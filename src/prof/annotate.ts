/**
 * A kernel with what is derived of it: the op and module to print, FLOPs, bytes, tensor-core use. Everything derived
 * is computed when it is first asked for, so that a report pays only for its own columns.
 */
import { collective } from '../ops/families/collective.js';
import type { KernelRole, Work } from '../ops/family.js';
import type { ResolvedWork } from '../ops/resolve-work.js';
import { familyOf } from '../ops/table.js';
import { matrixUnitByName, matrixUnitCell, tensorCore, type TensorCore } from '../ops/tensor-core.js';
import { LruCache } from '../containers/lru-cache.js';
import { isNeuronInstruction } from '../record/engines.js';
import type { Device, KernelRecord, OpCall, ProfileRecord } from '../record/record.js';
import { cubeVerdict } from '../ops/ascend/cube.js';
import { cubeCell, cubeUse, deriveOnAscend, isOnAscend } from './work/ascend-kernel.js';
import { derive, ofCollective, type Derived } from './work/derive.js';
import { engineUse, multiplies, ofInstruction, verdictOf } from './work/neuron-instruction.js';
import { matrixUnitUse, type MatrixUnitUse } from './work/matrix-unit-use.js';
import type { Pairing } from './pair.js';
import { peaksOf, type Peaks } from './roofline/peaks.js';
import { NO_ROOF, classifyRoofline, roofOf, type Placement } from './roofline/roofline.js';

/** Kernel names repeat: a program has hundreds, a profile millions of kernels. */
const cells = new LruCache<string, ReturnType<typeof matrixUnitCell>>(4096);

/** A cell of the column `tc`. */
type UnitCell = 0 | 1 | '-' | '?' | null;

const TC_VALUES = { '1': 1, '0': 0, '-': '-', '?': '?', na: null } as const;

export class Annotated {
  #derived: Derived | null = null;
  #placement: Placement | null = null;
  /** Not yet asked for. */
  #tc: UnitCell | undefined;
  #unitUse: MatrixUnitUse | null | undefined;
  constructor(
    readonly record: KernelRecord,
    /** The profile line before the kernel, when there was one. */
    readonly profile: ProfileRecord | null,
    readonly pairing: Pairing,
    /** Peak rates that the user gives for every device; null for those of the kernel's own. */
    private readonly given: Peaks | null = null,
  ) {}

  /** Where calls, layer, trace, module and op come from: the kernel, or its forward kernel. */
  get #context(): Pick<KernelRecord, 'calls' | 'mod' | 'op' | 'layer' | 'trace'> {
    return this.pairing.kind === 'paired' ? this.pairing.forward.context : this.record;
  }

  get calls(): readonly OpCall[] {
    const { calls } = this.#context;
    // What a forward kernel did itself says nothing of its backward kernels.
    return calls.every(({ from }) => from === undefined) && calls.length > 0 ? calls : this.record.calls;
  }
  get layer(): readonly string[] {
    return this.#context.layer;
  }
  get trace(): readonly string[] {
    return this.#context.trace;
  }

  /** The outermost call's module; null when not known. */
  get mod(): string | null {
    return known(this.#context.mod[0]);
  }

  /** The outermost call's op, or what its family calls this kernel; null when not known. */
  get op(): string | null {
    return this.derived.label ?? known(this.#context.op[0]);
  }

  get derived(): Derived {
    return (this.#derived ??= this.#derive());
  }

  #derive(): Derived {
    const { collective } = this.record;
    if (collective !== undefined) return ofCollective(collective);
    if (isNeuronInstruction(this.record)) return ofInstruction(this.record);
    return this.isOnAscend ? deriveOnAscend(this.calls, this.record) : derive(this.calls, this.record);
  }

  /** Replaces the work that the kernel's name alone gives it by its share of the work of its op (see `work/attribution.ts`). */
  assign(work: Work): void {
    const { derived } = this;
    if (derived.described !== null) this.#derived = { ...derived, described: { ...derived.described, work } };
    this.#placement = null;
    this.#tc = undefined;
    this.#unitUse = undefined;
  }

  /** The innermost call that has a formula, and the work it gives this kernel. */
  get described(): ResolvedWork | null {
    return this.derived.described;
  }

  /** Floating-point operations, a fused multiply-add counted as 2. */
  get flops(): number | null {
    return this.described?.work.flops ?? null;
  }
  /** Least memory traffic in bytes. */
  get bytes(): number | null {
    return this.described?.work.bytes ?? null;
  }
  get role(): KernelRole | null {
    return this.described?.work.role ?? null;
  }

  /**
   * Matrix unit: 1 used, 0 could be used and is not, '-' not applicable, '?' the name does not tell. Without an op that
   * describes the kernel, 1 or 0 where its name is that of a product, else null.
   */
  get tc(): UnitCell {
    if (this.#tc === undefined) this.#tc = this.#judge();
    return this.#tc;
  }

  #judge(): UnitCell {
    const { described, record } = this;
    if (isNeuronInstruction(this.record)) return described === null ? null : multiplies(record, this.derived) ? 1 : '-';
    const work = described?.work ?? null;
    if (this.isOnAscend) return cubeCell(work, this.tensorCore);
    const arch = this.#arch;
    const key = `${work?.role ?? ''}/${work?.matmul ?? ''}/${arch ?? ''}/${record.name}`;
    const judge = (): ReturnType<typeof matrixUnitCell> =>
      work === null ? matrixUnitByName(record.name, arch) : matrixUnitCell(work, record.name, arch);
    return TC_VALUES[cells.of(key, judge)];
  }

  /** The verdict on the kernel's name alone, or on what its device counted. */
  get tensorCore(): TensorCore {
    if (isNeuronInstruction(this.record)) return verdictOf(this.record);
    return this.isOnAscend ? cubeVerdict(this.record, this.#arch) : tensorCore(this.record.name, this.#arch);
  }

  /** Whether the kernel ran on an Ascend device. */
  get isOnAscend(): boolean {
    return isOnAscend(this.record, this.#device);
  }

  get #device(): Device | null {
    return this.profile?.devices.find((device) => device.id === this.record.device) ?? null;
  }

  /** Peak rates of the kernel's device. */
  get peaks(): Peaks {
    return this.given ?? peaksOf(this.#device);
  }

  /** Architecture of the kernel's device, where the profile or the device's name tells it. */
  get #arch(): string | undefined {
    return this.peaks.arch ?? this.#device?.arch ?? undefined;
  }

  /** Whether the kernel does a product, which a matrix unit might. */
  get isProduct(): boolean {
    const { tc } = this;
    return tc === 0 || tc === 1 || tc === '?';
  }

  /** Element type, eligibility and reasons; null without an op that describes the kernel. */
  get unitUse(): MatrixUnitUse | null {
    if (this.#unitUse === undefined) this.#unitUse = this.#use();
    return this.#unitUse;
  }

  #use(): MatrixUnitUse | null {
    const { described, record } = this;
    if (described !== null && isNeuronInstruction(this.record)) return engineUse(record, this.derived);
    if (described === null) return null;
    const use = matrixUnitUse(described.call, this.isProduct, record.name, this.#arch);
    return this.isOnAscend ? cubeUse(record, use, this.isProduct, this.#arch) : use;
  }

  /** FLOPs that a matrix unit might do: those of products; null when not known. */
  get productFlops(): number | null {
    if (this.described === null) return null;
    return this.isProduct ? this.flops : 0;
  }

  /** Where the kernel stands under its device's roofline. */
  get placement(): Placement {
    return (this.#placement ??= this.#place());
  }

  #place(): Placement {
    const { described, unitUse, tc, flops, bytes, record, peaks } = this;
    const load = { flops, bytes, dur: record.dur !== null && Number.isFinite(record.dur) ? record.dur : null };
    const arithmetic = {
      dtype: unitUse?.dtype ?? null,
      tc: described === null ? null : tc,
      eligible: unitUse?.eligible ?? null,
      halfSums: unitUse?.halfSums ?? false,
      shortcut: unitUse?.shortcut === true || described?.work.shortcut === true,
    };
    return classifyRoofline(load, described?.family === collective ? NO_ROOF : roofOf(arithmetic, peaks));
  }

  /** Why FLOPs or bytes are not known; null when they are. */
  get reason(): string | null {
    const { described } = this;
    if (described !== null) {
      const { flops, bytes, unknown } = described.work;
      return flops !== null && bytes !== null ? null : (unknown ?? `not told by the arguments of ${described.call.op}`);
    }
    if (isNeuronInstruction(this.record)) return `no formula for the opcode ${this.record.name}`;
    if (this.calls.length > 0) return withoutFormula(this.calls);
    return unpaired(this.pairing, this.record, this.profile !== null);
  }
}

const known = (name: string | undefined): string | null =>
  name === undefined || name === '' || name === 'na' ? null : name;

function withoutFormula(calls: readonly OpCall[]): string {
  const names = calls.map((call) => call.op).join(' > ');
  const some = calls.some((call) => familyOf(call) !== null);
  if (some && calls.every(({ from, args }) => from === 'dispatcher' && args.length === 0))
    return `the trace does not tell the arguments of ${names}: profile with record_shapes=True`;
  return some ? `the arguments of ${names} do not fit a formula` : `no formula for ${names}`;
}

/**
 * Why a kernel has no call at all.
 * @param isProfile whether the records are a profile's, which knows launches; a net.dict of PyProf does not
 */
export function unpaired(pairing: Pairing, record: KernelRecord, isProfile: boolean): string {
  switch (pairing.kind) {
    case 'ambiguous':
      return `${pairing.threads} threads have a forward kernel with sequence id ${record.seq[0] ?? ''}`;
    case 'no-forward':
      return `no earlier forward kernel with sequence id ${record.seq[0] ?? ''}`;
    case 'no-id':
      return 'a backward kernel without a sequence id';
    case 'paired':
      return `no op call around its forward kernel ${pairing.forward.id}`;
    case 'own':
      if (isProfile && record.launch === null) return 'its launch is not in the profile';
      return record.graph === undefined ? 'no op call around the launch' : 'no op call around the launch of its graph';
  }
}
