/**
 * Timestamps of 64 bits as two 32-bit halves, computed without BigInt: the halves of `zero`, which many events share, are
 * kept from call to call.
 */
import protobuf from 'protobufjs/minimal.js';

const LOW = 0xffffffffn;
const HALF = 2 ** 32;

/** The origin of many times: compared by identity. */
export interface TimeOrigin {
  readonly ns: bigint;
}

export class PacketTimes {
  #zero: TimeOrigin = { ns: 0n };
  #high = 0;
  #low = 0;
  readonly #long = new protobuf.util.Long(0, 0, true);

  /**
   * The sum of `zero` and `ns`, exact; the object is overwritten by the next call.
   * @param ns whole
   */
  at(zero: TimeOrigin, ns: number): InstanceType<typeof protobuf.util.Long> {
    if (zero !== this.#zero) {
      this.#zero = zero;
      this.#high = Number((zero.ns >> 32n) & LOW);
      this.#low = Number(zero.ns & LOW);
    }
    const high = Math.floor(ns / HALF);
    const low = this.#low + (ns - high * HALF);
    const carry = low >= HALF ? 1 : 0;
    this.#long.low = low | 0;
    this.#long.high = (this.#high + high + carry) | 0;
    return this.#long;
  }
}
