/** Numbers of processes, and of threads in a process: the real ones where they can be, else such as no system gives. */

/** Above what Linux gives to processes and threads. */
const FIRST_OF_OURS = 10_000_000;
/** Viewers keep numbers of processes and threads in 32 bits. */
const LARGEST = 0x7fffffff;

/** Whether a number can be that of a process or thread in a trace. */
const isTraceId = (id: number): boolean => Number.isInteger(id) && id > 0 && id <= LARGEST;

export class TraceIds {
  readonly #taken = new Set<number>();
  #last = FIRST_OF_OURS - 1;

  /** The real number where it is free and fits, else one of ours. */
  claim(real: number): number {
    if (!isTraceId(real) || this.#taken.has(real)) return this.next();
    this.#taken.add(real);
    return real;
  }

  next(): number {
    do this.#last++;
    while (this.#taken.has(this.#last));
    this.#taken.add(this.#last);
    return this.#last;
  }
}
