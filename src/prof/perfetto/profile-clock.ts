/**
 * Where each profile begins in the trace. The first profile decides: with Unix time, all profiles stand at theirs, and
 * one that has none beside the first; without, all begin at 0.
 */
import type { ProfileRecord } from '../../record/record.js';
import type { TraceTime, TraceZero } from './trace-element.js';

/** How profiles are put beside each other: at their Unix times where these are known, or all at 0. */
export type Alignment = 'unix' | 'start';

/** Time stamps of viewers are signed 64-bit ns. */
const LATEST = 1n << 62n;

export class ProfileClock {
  /** Of the first profile; null where time stamps are from the start of each profile. */
  #first: bigint | null = null;
  #decided = false;
  readonly #starts = new Map<number, TraceZero>();
  #zero: TraceZero = { ns: 0n };
  /** Profiles without Unix time beside others that have it. */
  assumedStarts = 0;

  constructor(private readonly alignment: Alignment) {}

  /** Unix ns of the first profile's start where time stamps are Unix time; null where they are not. */
  get unixStart(): bigint | null {
    return this.#first;
  }

  /** @returns whether it is the first */
  profile({ profile, startUnixNs }: ProfileRecord): boolean {
    const isFirst = !this.#decided;
    const told = this.alignment === 'unix' ? unixTime(startUnixNs) : null;
    if (isFirst) {
      this.#first = told;
      this.#zero = { ns: told ?? 0n };
    }
    if (told === null && this.#first !== null) this.assumedStarts++;
    this.#decided = true;
    const isOwn = this.#first !== null && told !== null;
    this.#starts.set(profile, isOwn ? { ns: told } : this.#zero);
    return isFirst;
  }

  /** A record's time; null for one that is not known, or before the beginning of time. */
  time(profile: number, start: number | null): TraceTime | null {
    if (start === null) return null;
    const zero = this.zero(profile);
    return start < 0 && zero.ns + BigInt(start) < 0n ? null : { zero, start };
  }

  /** The profile's start, ns in the trace. Records that no profile line precedes are at the first one's start. */
  zero(profile: number): TraceZero {
    return this.#starts.get(profile) ?? this.#zero;
  }
}

function unixTime(text: unknown): bigint | null {
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) return null;
  const time = BigInt(text);
  return time < LATEST ? time : null;
}
