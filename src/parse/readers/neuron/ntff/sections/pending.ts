/** Instructions and packets that have started and not yet ended, in bounded memory. */

/**
 * Limit of concurrent instructions of an engine, and of later ones that may end before one. Captures show two at a time,
 * and one that 40 others overtook: it waited in the tensor engine while matrix products went on.
 */
const MOST_UNDER_WAY = 256;

/**
 * Instructions of one engine. An end belongs to the oldest start at the same address. Engines run nearly in order: a
 * start that many later ones have overtaken has lost its end, and must not take the end of the loop's next iteration.
 */
export class PendingInstructions {
  count = 0;
  /** Start time of the instruction that `end` found. */
  time = 0;
  wait = 0;
  readonly #places = new Int32Array(MOST_UNDER_WAY);
  readonly #times = new Float64Array(MOST_UNDER_WAY);
  readonly #waits = new Uint16Array(MOST_UNDER_WAY);
  /** How many instructions had ended when it started. */
  readonly #ages = new Float64Array(MOST_UNDER_WAY);
  #ended = 0;

  /** @returns how many instructions were dropped to make room */
  start(place: number, time: number, wait: number): number {
    const isStale = this.count > 0 && this.#ended - (this.#ages[0] as number) >= MOST_UNDER_WAY;
    const givenUp = isStale || this.count === MOST_UNDER_WAY ? 1 : 0;
    if (givenUp === 1) this.#remove(0);
    this.#places[this.count] = place;
    this.#times[this.count] = time;
    this.#waits[this.count] = wait;
    this.#ages[this.count] = this.#ended;
    this.count++;
    return givenUp;
  }

  /** Ends the oldest instruction at an address; false when there is none. */
  end(place: number): boolean {
    for (let at = 0; at < this.count; at++) {
      if (this.#places[at] === place) {
        this.time = this.#times[at] as number;
        this.wait = this.#waits[at] as number;
        this.#ended++;
        this.#remove(at);
        return true;
      }
    }
    return false;
  }

  #remove(at: number): void {
    this.count--;
    for (let i = at; i < this.count; i++) {
      this.#places[i] = this.#places[i + 1] as number;
      this.#times[i] = this.#times[i + 1] as number;
      this.#waits[i] = this.#waits[i + 1] as number;
      this.#ages[i] = this.#ages[i + 1] as number;
    }
  }
}

/** Limit of concurrent packets of a queue: 512 queues of a core make 32 MB at most. */
const MOST_PACKETS = 1 << 13;
const FIRST_PACKETS = 1 << 4;

/** FIFO of the start times of one queue's packets. */
export class PendingPackets {
  count = 0;
  #times = new Float64Array(FIRST_PACKETS);
  #first = 0;

  /** @returns how many packets were dropped to make room */
  start(time: number): number {
    if (this.count === this.#times.length) this.#grow();
    const isFull = this.count === this.#times.length;
    if (isFull) this.end();
    this.#times[(this.#first + this.count) & (this.#times.length - 1)] = time;
    this.count++;
    return isFull ? 1 : 0;
  }

  /** Removes the oldest packet and returns its start; there must be one. */
  end(): number {
    const time = this.#times[this.#first] as number;
    this.#first = (this.#first + 1) & (this.#times.length - 1);
    this.count--;
    return time;
  }

  #grow(): void {
    if (this.#times.length === MOST_PACKETS) return;
    const larger = new Float64Array(this.#times.length * 2);
    for (let i = 0; i < this.count; i++)
      larger[i] = this.#times[(this.#first + i) & (this.#times.length - 1)] as number;
    this.#times = larger;
    this.#first = 0;
  }
}
