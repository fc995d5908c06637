/** The kernels that a finding is about: how many, how long, under which names, and the longest. */
import { Longest, Ranking, type RankedRecord } from './longest.js';

export class KernelTally {
  count = 0;
  /** ns */
  stake = 0;
  readonly names = new Ranking();
  readonly longest = new Longest();

  /**
   * @param name under which its time is ranked
   * @param dur ns
   */
  add(record: RankedRecord, name: string, dur: number): void {
    this.count++;
    this.stake += dur;
    this.names.add(name, dur);
    this.longest.add(record);
  }

  merge(more: KernelTally): void {
    this.count += more.count;
    this.stake += more.stake;
    this.names.merge(more.names);
    this.longest.merge(more.longest);
  }

  /** The fields of a finding that follow from its kernels; what may be gained is not known. */
  get facts() {
    const { count, stake, longest } = this;
    return { stake, gain: null, kernels: longest.ids, count, evidence: { kernels: count, timeNs: stake } };
  }
}
