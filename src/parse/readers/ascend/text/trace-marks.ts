/**
 * Ranges of msprof_tx in a trace: on the host, and as a device came by them. A flow of category `MsTx` leads from the start of
 * one to the start of the other.
 * Source: msprof's writer of these events. Memory: some 200 bytes a range.
 */
import { addTo, entryOf } from '../../../../containers/map-entry.js';

/** Times in ns relative to the clock's base; a thread, a lane and a text by number. */
export interface HostMark {
  readonly start: number;
  readonly end: number;
  readonly thread: number;
  readonly name: number;
  readonly domain: string | null;
}

export interface DeviceMark {
  readonly start: number;
  readonly end: number;
  readonly lane: number;
  readonly stream: number;
  readonly name: number;
}

/** Domain that is not shown in names. */
const DEFAULT_DOMAIN = 'default';

const place = (row: number, time: number): string => `${row} ${time}`;

/** A range of the host with the id of its flow, NaN without one, and with that of the device, null where none was marked. */
interface MarkPair {
  readonly host: HostMark;
  readonly id: number;
  readonly device: DeviceMark | null;
}

export class TraceMarks {
  readonly #host: HostMark[] = [];
  readonly #device = new Map<string, DeviceMark[]>();
  /** How many ranges of the host begin at a place. */
  readonly #hosts = new Map<string, number>();
  /** Ids of flows by where they begin, and where they end by id. */
  readonly #begins = new Map<string, Set<number>>();
  readonly #ends = new Map<number, string>();
  readonly #paired = new Set<DeviceMark>();
  /** Ranges of the host with several ranges of devices of their text: the first in the order of the file was taken. */
  ambiguous = 0;

  addHost(mark: HostMark): void {
    const { domain } = mark;
    addTo(this.#hosts, place(mark.thread, mark.start), 1);
    this.#host.push(domain === DEFAULT_DOMAIN || domain === '' ? { ...mark, domain: null } : mark);
  }

  addDevice(mark: DeviceMark): void {
    entryOf(this.#device, place(mark.lane, mark.start), () => []).push(mark);
  }

  /** @param id null for none */
  addBegin(id: string | null, thread: number, time: number): void {
    if (id !== null) entryOf(this.#begins, place(thread, time), () => new Set()).add(Number(id));
  }

  /** @param id null for none */
  addEnd(id: string | null, lane: number, time: number): void {
    if (id !== null) this.#ends.set(Number(id), place(lane, time));
  }

  /**
   * Each range of the host with its range of the device, by the flow between their starts. Of several that begin at one
   * time on one thread, each has the range of the device that has its text too.
   */
  *pairs(): Generator<MarkPair> {
    for (const host of this.#host) {
      const isAlone = this.#hosts.get(place(host.thread, host.start)) === 1;
      const reached = this.#reachedFrom(host);
      const alike = reached.filter(({ device }) => device.name === host.name);
      const [first] = isAlone && alike.length === 0 ? reached : alike;
      if (alike.length > 1) this.ambiguous++;
      if (first !== undefined) this.#paired.add(first.device);
      yield first ?? { host, id: NaN, device: null };
    }
  }

  /** The ranges of devices that flows lead to from where a range of the host begins, and that belong to no other. */
  #reachedFrom(host: HostMark): { host: HostMark; id: number; device: DeviceMark }[] {
    const ids = this.#begins.get(place(host.thread, host.start)) ?? [];
    return [...ids].flatMap((id) =>
      (this.#device.get(this.#ends.get(id) ?? '') ?? []).flatMap((device) =>
        this.#paired.has(device) ? [] : [{ host, id, device }],
      ),
    );
  }

  /** How many ranges of devices no range of the host leads to, so that their texts are unknown. To be called after `pairs`. */
  get unpaired(): number {
    return [...this.#device.values()].flat().length - this.#paired.size;
  }
}
