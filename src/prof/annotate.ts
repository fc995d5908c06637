/**
 * A kernel with what is derived of it: the op and module to print, FLOPs, bytes, tensor-core use. Everything derived
 * is computed when it is first asked for, so that a report pays only for its own columns.
 */
import type { Role } from '../ops/family.js';
import { familyOf, type Described } from '../ops/table.js';
import { matrixUnitCell, tensorCore, type TensorCore } from '../ops/tensor-core.js';
import { Recent } from '../record/recent.js';
import type { KernelRecord, OpCall, ProfileRecord } from '../record/record.js';
import { derive, type Derived } from './derive.js';
import type { Pairing } from './pair.js';

/** Kernel names repeat: a program has hundreds, a profile millions of kernels. */
const cells = new Recent<string, ReturnType<typeof matrixUnitCell>>(4096);

const TC_VALUES = { '1': 1, '0': 0, '-': '-', '?': '?', na: null } as const;

export class Annotated {
  #derived: Derived | null = null;

  constructor(
    readonly record: KernelRecord,
    /** The profile line before the kernel, when there was one. */
    readonly profile: ProfileRecord | null,
    readonly pairing: Pairing,
  ) {}

  /** Where calls, layer, trace, module and op come from: the kernel, or its forward kernel. */
  get #context(): Pick<KernelRecord, 'calls' | 'mod' | 'op' | 'layer' | 'trace'> {
    return this.pairing.kind === 'paired' ? this.pairing.forward.context : this.record;
  }

  get calls(): readonly OpCall[] {
    return this.#context.calls;
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
    return (this.#derived ??= derive(this.calls, this.record));
  }

  /** The innermost call that has a formula, and the work it gives this kernel. */
  get described(): Described | null {
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
  get role(): Role | null {
    return this.described?.work.role ?? null;
  }

  /** Matrix unit: 1 used, 0 could be used and is not, '-' not applicable, '?' the name does not tell; null without op. */
  get tc(): 0 | 1 | '-' | '?' | null {
    const { described, record } = this;
    if (described === null) return null;
    const { work } = described;
    const key = `${work.role}/${work.matmul}/${this.#arch ?? ''}/${record.name}`;
    return TC_VALUES[cells.of(key, () => matrixUnitCell(work, record.name, this.#arch))];
  }

  /** The verdict on the kernel's name alone. */
  get tensorCore(): TensorCore {
    return tensorCore(this.record.name, this.#arch);
  }

  /** Architecture of the kernel's device, where the profile tells it. */
  get #arch(): string | undefined {
    return this.profile?.devices.find((device) => device.id === this.record.device)?.arch ?? undefined;
  }

  /** Why FLOPs or bytes are not known; null when they are. */
  get reason(): string | null {
    const { described } = this;
    if (described !== null) {
      const { flops, bytes, unknown } = described.work;
      return flops !== null && bytes !== null ? null : (unknown ?? `not told by the arguments of ${described.call.op}`);
    }
    if (this.calls.length > 0) return withoutFormula(this.calls);
    return unpaired(this.pairing, this.record);
  }
}

const known = (name: string | undefined): string | null =>
  name === undefined || name === '' || name === 'na' ? null : name;

function withoutFormula(calls: readonly OpCall[]): string {
  const names = calls.map((call) => call.op).join(' > ');
  const some = calls.some((call) => familyOf(call) !== null);
  return some ? `the arguments of ${names} do not fit a formula` : `no formula for ${names}`;
}

/** Why a kernel has no call at all. */
function unpaired(pairing: Pairing, record: KernelRecord): string {
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
      return 'no op call around the launch';
  }
}
