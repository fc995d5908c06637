/**
 * Where each profile starts in the trace. If the first profile has a Unix time, each starts at its own, those without one
 * at that of the first; otherwise all start at 0.
 */
import type { ProfileRecord } from '../../record/record.js';
import type { TraceTime, TraceZero } from './trace-element.js';

/** How profiles are aligned: at their Unix times where these are known, or all at 0. */
export type Alignment = 'unix' | 'start';

/** Viewers keep timestamps as signed 64-bit ns. */
const LATEST = 1n << 62n;

export class ProfileClock {
  /** Unix ns of the first profile's start; null where timestamps count from the start of each profile. */
  unixStart: bigint | null = null;
  #decided = false;
  readonly #starts = new Map<number, TraceZero>();
  #zero: TraceZero = { ns: 0n };
  /** Profiles without a Unix time in a trace of Unix times. */
  assumedStarts = 0;

  constructor(private readonly alignment: Alignment) {}

  /** @returns whether it is the first */
  profile({ profile, startUnixNs }: ProfileRecord): boolean {
    const isFirst = !this.#decided;
    const unixStart = this.alignment === 'unix' ? unixTime(startUnixNs) : null;
    if (isFirst) {
      this.unixStart = unixStart;
      this.#zero = { ns: unixStart ?? 0n };
    }
    if (unixStart === null && this.unixStart !== null) this.assumedStarts++;
    this.#decided = true;
    const isOwn = this.unixStart !== null && unixStart !== null;
    this.#starts.set(profile, isOwn ? { ns: unixStart } : this.#zero);
    return isFirst;
  }

  /** A record's time; null where it is not known, or before timestamp 0. */
  time(profile: number, start: number | null): TraceTime | null {
    if (start === null) return null;
    const zero = this.zero(profile);
    return start < 0 && zero.ns + BigInt(start) < 0n ? null : { zero, start };
  }

  /** The profile's start in the trace; that of the first profile for records without a profile line. */
  zero(profile: number): TraceZero {
    return this.#starts.get(profile) ?? this.#zero;
  }
}

function unixTime(text: unknown): bigint | null {
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) return null;
  const time = BigInt(text);
  return time < LATEST ? time : null;
}
