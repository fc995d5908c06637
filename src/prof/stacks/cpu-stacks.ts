/** CPU samples, or the time of calls of system libraries, by the call chains that a profiler recorded. */
import { UserError } from '../../record/errors.js';
import type { ProfileLine, ProfileRecord, SampleRecord } from '../../record/record.js';
import { CPU_STACK_METRICS, FRAME_SEPARATOR } from '../../record/sample-metrics.js';
import type { Analysis, Answer, RecordTypes } from '../analysis.js';
import { framesOf, type FrameKind } from './frames.js';
import { StackSums, tooManyStacks, type ProfileStacks, type StackOptions, type StackUnit } from './stack-sums.js';

/** What the stacks count. */
export type CpuStackKind = keyof typeof CPU_STACK_METRICS;
export const CPU_STACK_KINDS = Object.keys(CPU_STACK_METRICS) as readonly CpuStackKind[];

export const unitOf = (kind: CpuStackKind): StackUnit => (kind === 'samples' ? 'samples' : 'ns');

/** What a profiler records for each kind. */
const HINTS: Readonly<Record<CpuStackKind, string>> = {
  samples: 'nsys profile --sample=process-tree --backtrace=dwarf records them; dparse --ranges writes them to records',
  calls: 'nsys profile -t osrt --osrt-backtrace-stack-size=16384 records them; dparse --ranges writes them to records',
};

interface CpuStack {
  readonly record: SampleRecord;
  readonly profile: ProfileRecord | null;
}

const label = (record: SampleRecord, name: string): string => String(record.labels?.[name] ?? 'na');

export const CPU_FRAME_KINDS: readonly FrameKind<CpuStack>[] = [
  {
    ...{ name: 'trace', doc: 'call chain', isOrigin: true },
    frames: ({ record }) => (record.text ?? '').split(FRAME_SEPARATOR),
  },
  { name: 'rank', doc: 'rank of the profile', frames: ({ profile }) => [`rank ${profile?.rank ?? 'na'}`] },
  { name: 'profile', doc: 'number of the profile, from 0', frames: ({ record }) => [`profile ${record.profile}`] },
  { name: 'thread', doc: 'thread', frames: ({ record }) => [`thread ${label(record, 'tid')}`] },
];

type CpuStackOptions = Omit<StackOptions, 'kinds' | 'collectives'> & { readonly kinds: readonly FrameKind<CpuStack>[] };

export class CpuStacks implements Analysis<readonly ProfileStacks[]> {
  /** Readers read call chains only together with ranges. */
  readonly types: RecordTypes = new Set<ProfileLine['type']>(['profile', 'sample', 'range', 'end']);
  readonly #sums: StackSums;
  readonly #headers = new Map<number, ProfileRecord>();
  #records = 0;

  constructor(
    private readonly kind: CpuStackKind,
    private readonly options: CpuStackOptions,
  ) {
    this.#sums = new StackSums(options.apart, options.mostText);
  }

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#headers.set(record.profile, record);
    if (record.type !== 'sample' || record.metric !== CPU_STACK_METRICS[this.kind] || record.value === null) return;
    this.#records++;
    const profile = this.#headers.get(record.profile) ?? null;
    const frames = framesOf({ record, profile }, this.options.kinds).map(this.options.safe);
    this.#sums.of(record.profile, profile).add(frames, record.value);
  }

  /** @throws UserError when the profile has no call chains */
  finish(): Answer<readonly ProfileStacks[]> {
    if (this.#records === 0) throw new UserError(`no call chains of CPU ${this.kind}`, { hint: HINTS[this.kind] });
    const { others, profiles } = this.#sums;
    const notes = tooManyStacks(others, 'stack');
    const doc = this.kind === 'samples' ? 'number of CPU samples' : 'time of calls of system libraries';
    return { table: this.#sums.table(doc, unitOf(this.kind)), facts: profiles, notes };
  }
}
