/**
 * Allocations of one device over time, in the two formats of PyTorch's export_memory_timeline, with its categories as far
 * as `AllocationCategories` knows them; earlier allocations are missing. Source: torch/profiler/_memory_profiler.py
 * (MemoryProfileTimeline) and its counterpart in torch_npu.
 */
import { lineOnly } from '../limits.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import { elementAt } from '../../containers/element.js';
import { allRows, sortRows } from '../../containers/row-order.js';
import { amountText } from '../../record/units.js';
import { counted } from '../../record/plural.js';
import { UserError } from '../../record/errors.js';
import type { ProfileLine, ProfileRecord, SampleRecord } from '../../record/record.js';
import type { Analysis, Answer, RecordTypes } from '../analysis.js';
import { AllocationCategories, CATEGORIES } from './allocations.js';
import { ALLOCATION_METRIC, bufferOf, isMemory, withoutMemory } from './device-memory.js';

/** Actions of the raw format. */
const [CREATE, DESTROY] = [1, 3];
const UNKNOWN = CATEGORIES.indexOf('unknown');

export class MemoryTimeline implements Analysis<MemoryTimeline> {
  readonly types: RecordTypes = new Set<ProfileLine['type']>(['profile', 'sample', 'range', 'end']);
  readonly ranges = 'without-calls';
  readonly #categories = new AllocationCategories();
  /** The allocation of each event. */
  readonly #allocation = NumericColumn.counts();
  #allocations = 0;
  readonly #time = NumericColumn.floats();
  readonly #bytes = NumericColumn.floats();
  readonly #devices = new Set<number | null>();
  #profiles = 0;
  #header: ProfileRecord | null = null;
  /** Whether there are memory samples other than single allocations. */
  #hasMemory = false;
  /** Number of allocations whose release time is unknown. */
  #endless = 0;

  /** @param device null for the host */
  constructor(private readonly device: number | null) {}

  take(record: ProfileLine): void {
    if (record.type === 'profile') {
      this.#profiles++;
      this.#header ??= record;
    }
    this.#categories.take(record);
    if (record.type === 'sample') this.#sample(record);
  }

  #sample(record: SampleRecord): void {
    const { metric, value } = record;
    if (metric === ALLOCATION_METRIC) this.#allocated(record);
    // Samples that are shares of a buffer do not count, because the size of the buffer may be unknown.
    else this.#hasMemory ||= value !== null && isMemory(metric) && bufferOf(metric) === null;
  }

  #allocated({ start, dur, device, value, labels }: SampleRecord): void {
    if (start === null || value === null) return;
    if (dur !== undefined) this.#devices.add(device);
    if (device !== this.device) return;
    if (dur === undefined) {
      this.#endless++;
      return;
    }
    const release = dur === null ? null : start + dur;
    this.#categories.add(start, release, String(labels?.['op'] ?? ''));
    this.#event(start, value);
    if (release !== null) this.#event(release, -value);
    this.#allocations++;
  }

  #event(time: number, bytes: number): void {
    this.#time.push(time);
    this.#bytes.push(bytes);
    this.#allocation.push(this.#allocations);
  }

  #categoryOf(event: number): number {
    return this.#categories.of(this.#allocation.at(event));
  }

  /** Notes about the amount of memory with an unknown category. */
  get #unknownText(): string[] {
    let [count, bytes, all] = [0, 0, 0];
    for (let event = 0; event < this.#time.length; event++) {
      const size = this.#bytes.at(event);
      if (size > 0) all += size;
      if (size <= 0 || this.#categoryOf(event) !== UNKNOWN) continue;
      count++;
      bytes += size;
    }
    if (count === 0) return [];
    const share = amountText(all > 0 ? bytes / all : null, 'share');
    const why = this.#categories.hasRanges ? '' : ': no CPU ranges (dparse --ranges)';
    return [`${counted(count, 'allocation')} of unknown category, ${share} of the bytes allocated${why}`];
  }

  /** @throws UserError when the device has no allocations, and for several profiles */
  finish(): Answer<MemoryTimeline> {
    if (this.#profiles > 1)
      throw new UserError('several profiles', { hint: 'a timeline shows one profile: give one file' });
    const left = counted(this.#endless, 'allocation');
    if (this.#time.length === 0) {
      if (this.#endless > 0)
        throw new UserError(`the profile does not record when its ${left} ${this.#endless === 1 ? 'is' : 'are'} freed`);
      const known = [...this.#devices].map((device) => device ?? 'host').sort();
      const what = `no allocations of ${this.device === null ? 'the host' : `device ${this.device}`}`;
      if (known.length > 0) throw new UserError(what, { hint: `--device ${known.join(', --device ')}` });
      if (this.#hasMemory) throw new UserError(what, { hint: 'dprof memory FILE shows what the profile recorded' });
      throw withoutMemory(what, this.#header === null ? [] : [this.#header]);
    }
    const lost = this.#endless > 0 ? [`${left} left out: unknown lifetime`] : [];
    return { facts: this, notes: [...lost, ...this.#unknownText].map(lineOnly) };
  }

  /** `[[ns, action, bytes, category], …]`, with times since 1970 when the profile gives its start. */
  *raw(): Generator<string> {
    const base = this.#base;
    let between = '[';
    for (const row of this.#rows()) {
      const bytes = this.#bytes.at(row);
      const action = bytes < 0 ? DESTROY : CREATE;
      yield `${between}[${base + BigInt(this.#time.at(row))}, ${action}, ${bytes}, ${this.#categoryOf(row)}]`;
      between = ', ';
    }
    yield ']';
  }

  /** `[times, sizes]`: times in us, and for each time a 0 and the bytes of each category. */
  *coalesced(): Generator<string> {
    yield '[[';
    yield* joined(this.#curve(), ({ us }) => String(us));
    yield '], [';
    yield* joined(this.#curve(), ({ bytes }) => `[0, ${bytes.join(', ')}]`);
    yield ']]';
  }

  /** The memory held after all events of each us, by category. */
  *#curve(): Generator<{ readonly us: bigint; readonly bytes: readonly number[] }> {
    const base = this.#base;
    const held = CATEGORIES.map((): number => 0);
    let last: bigint | null = null;
    for (const row of this.#rows()) {
      const us = (base + BigInt(this.#time.at(row))) / 1000n;
      if (last !== null && us !== last) yield { us: last, bytes: held };
      const category = this.#categoryOf(row);
      held[category] = elementAt(held, category) + this.#bytes.at(row);
      last = us;
    }
    if (last !== null) yield { us: last, bytes: held };
  }

  get #base(): bigint {
    return BigInt(this.#header?.startUnixNs ?? 0);
  }

  /** Sorted by time; releases come before allocations. */
  #rows(): Uint32Array {
    const rows = allRows(this.#time.length);
    sortRows(rows, (a, b) => this.#time.at(a) - this.#time.at(b) || this.#bytes.at(a) - this.#bytes.at(b));
    return rows;
  }
}

function* joined<Value>(values: Iterable<Value>, textOf: (value: Value) => string): Generator<string> {
  let between = '';
  for (const value of values) {
    yield between + textOf(value);
    between = ', ';
  }
}
