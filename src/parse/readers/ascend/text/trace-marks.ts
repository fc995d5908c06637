/**
 * Ranges of msprof_tx in a trace: on the host, and as a device came by them. A flow of category `MsTx` leads from the start of
 * one to the start of the other.
 * Source: msprof's writer of these events. Memory: some 200 bytes a range.
 */

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
}

/** Domain that is not shown in names. */
const DEFAULT_DOMAIN = 'default';

const place = (row: number, time: number): string => `${row} ${time}`;

export class TraceMarks {
  readonly #host: HostMark[] = [];
  readonly #device = new Map<string, DeviceMark>();
  /** Ids of flows by where they begin, and where they end by id. */
  readonly #begins = new Map<string, number>();
  readonly #ends = new Map<number, string>();
  readonly #paired = new Set<string>();

  addHost(mark: HostMark): void {
    const { domain } = mark;
    this.#host.push(domain === DEFAULT_DOMAIN || domain === '' ? { ...mark, domain: null } : mark);
  }

  addDevice(mark: DeviceMark): void {
    this.#device.set(place(mark.lane, mark.start), mark);
  }

  /** @param id null for none */
  addBegin(id: string | null, thread: number, time: number): void {
    if (id !== null) this.#begins.set(place(thread, time), Number(id));
  }

  /** @param id null for none */
  addEnd(id: string | null, lane: number, time: number): void {
    if (id !== null) this.#ends.set(Number(id), place(lane, time));
  }

  /** Each range of the host with the id of its flow, NaN without one, and with that of the device, null where none was marked. */
  *pairs(): Generator<{ readonly host: HostMark; readonly id: number; readonly device: DeviceMark | null }> {
    for (const host of this.#host) {
      const id = this.#begins.get(place(host.thread, host.start)) ?? NaN;
      const at = this.#ends.get(id) ?? '';
      const device = this.#device.get(at) ?? null;
      if (device !== null) this.#paired.add(at);
      yield { host, id: device === null ? NaN : id, device };
    }
  }

  /** How many ranges of devices no range of the host leads to, so that their texts are unknown. To be called after `pairs`. */
  get unpaired(): number {
    return this.#device.size - this.#paired.size;
  }
}
