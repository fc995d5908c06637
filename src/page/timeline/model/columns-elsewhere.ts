/** Columns of `dprof` that the events of a timeline cannot answer, and what to use in their place. */

const HERE: Readonly<Record<string, string>> = {
  altseq: 'seq',
  fwd: 'dir==bprop with op or seq',
  sub: 'op with seq',
  mod: 'op or layer',
  inner: 'op',
  graph: 'kind==graph or name',
  origin: 'name',
  verdict: 'tc',
  tcwhy: 'tc',
  tceligible: 'tc',
  mmflops: 'flops',
  cubeflops: 'flops',
  cuberatio: 'flops',
  hwflops: 'flops',
  hwflopsratio: 'tflops',
  hwbytes: 'bytes',
  hwbytesratio: 'gbps',
  hwtc: 'tc',
  peak: 'tflops',
  bw: 'gbps',
  floor: 'bound',
  gap: 'bound',
  collective: 'kind==communication with op',
  ranks: 'kind==communication with op',
  algbytes: 'kind==communication with bytes',
  busbytes: 'kind==communication with bytes',
  engine: 'lane',
  optype: 'op or name',
  wait: 'sil',
  counters: 'flops or bytes',
  phase: 'step',
  batch: 'step',
  ctxtokens: 'step',
  gentokens: 'step',
  part: 'layer or op',
  long: 'name (without its return type)',
  calls: 'op',
  ranges: 'range',
  ownranges: 'range',
};

/** Of one counter: `counter:NAME`. */
const COUNTER = 'counter:';

export const ELSEWHERE: readonly string[] = Object.keys(HERE);

/** What to use in a timeline in place of a column; null for what is none of these. */
export const insteadOf = (key: string): string | null =>
  (Object.hasOwn(HERE, key) ? HERE[key] : null) ?? (key.startsWith(COUNTER) ? 'flops or bytes' : null);
