/** Process and thread ids of a trace: the real ones where they are free, else ids above those of real systems. */

/** Above the ids that Linux gives to processes and threads. */
const FIRST_MADE_ID = 10_000_000;
/** Viewers keep ids in signed 32 bits. */
const LARGEST_ID = 0x7fffffff;

const isTraceId = (id: number): boolean => Number.isInteger(id) && id > 0 && id <= LARGEST_ID;

export class TraceIds {
  readonly #taken = new Set<number>();
  #last = FIRST_MADE_ID - 1;

  /** The real id where it is valid and free, else a made one. */
  claim(real: number): number {
    if (!isTraceId(real) || this.#taken.has(real)) return this.next();
    this.#taken.add(real);
    return real;
  }

  /** A made id. */
  next(): number {
    do this.#last++;
    while (this.#taken.has(this.#last));
    this.#taken.add(this.#last);
    return this.#last;
  }
}
