import { expect } from 'chai';
import { parseQuery } from '../../../../src/page/timeline/model/query.js';
import { nextMatch, ofOwnSteps, search } from '../../../../src/page/timeline/model/search.js';
import { eventsOf } from '../fixture.js';

const EVENTS = eventsOf([
  { start: 0, dur: 100, lane: 0, kind: 'range', name: 'Block', layer: 'net/Block' },
  { start: 10, dur: 20, lane: 0, depth: 1, kind: 'launch', name: 'cudaLaunchKernel', layer: 'net/Block' },
  { start: 40, dur: 30, lane: 1, name: 'at::gemm<float>', op: 'linear', dtype: 'fp32', layer: 'net/Block', id: 1, bytes: 2e6 },
  { start: 50, dur: 10, lane: 2, name: 'add', op: 'add', dtype: 'bf16', id: 2 },
  { start: 80, dur: 60, lane: 1, kind: 'copy', name: 'Memcpy HtoD', bytes: 5e6 },
]); // prettier-ignore

const found = (query: string): number[] => [...(search(EVENTS, query)?.list ?? [])];

describe('search of a timeline', () => {
  it('reads words, fields, amounts and quoted texts', () => {
    expect(parseQuery('Gemm op:Linear dur>1.5ms "layer norm" name:"a b" id:7')).to.deep.equal([
      { is: 'text', field: null, text: 'gemm' },
      { is: 'text', field: 'op', text: 'linear' },
      { is: 'number', field: 'dur', sign: '>', value: 1_500_000 },
      { is: 'text', field: null, text: 'layer norm' },
      { is: 'text', field: 'name', text: 'a b' },
      { is: 'number', field: 'id', sign: '=', value: 7 },
    ]);
    expect(parseQuery('  ')).to.deep.equal([]);
    // No fields: a C++ name, and an invalid amount.
    expect(parseQuery('at::native dur>fast')).to.deep.equal([
      { is: 'text', field: null, text: 'at::native' },
      { is: 'text', field: null, text: 'dur>fast' },
    ]);
  });

  it('finds a word in name, op, layer, dtype and kind', () => {
    expect(found('GEMM')).to.deep.equal([2]);
    expect(found('linear')).to.deep.equal([2]);
    expect(found('net/block')).to.deep.equal([0, 1, 2]);
    expect(found('bf16')).to.deep.equal([3]);
    expect(found('copy')).to.deep.equal([4]);
    expect(found('at::')).to.deep.equal([2]);
    expect(found('net kernel')).to.deep.equal([1, 2]);
  });

  it('finds a word in its field only', () => {
    expect(found('name:block')).to.deep.equal([0]);
    expect(found('kind:launch')).to.deep.equal([1]);
    expect(found('lane:"stream 7"')).to.deep.equal([2, 4]);
    expect(found('group:device')).to.deep.equal([2, 3, 4]);
  });

  it('finds packets by their tensor, source and destination, but no kernel by the source of its count', () => {
    const events = eventsOf([
      { start: 0, dur: 1, lane: 1, name: 'MATMUL', facts: [['source', 'operands and counters']] },
      { start: 1, dur: 1, lane: 2, kind: 'copy', name: 'DMA', facts: [['tensor', 'k_ref'], ['source', 'HBM'], ['destination', 'SBUF']] },
      { start: 2, dur: 1, lane: 2, kind: 'copy', name: 'DMA', facts: [['tensor', 'q_ref'], ['destination', 'HBM']] },
    ]); // prettier-ignore
    const list = (query: string): number[] => [...(search(events, query)?.list ?? [])];
    expect(list('K_ref')).to.deep.equal([1]);
    expect(list('hbm')).to.deep.equal([1, 2]);
    expect(list('operands')).to.deep.equal([]);
  });

  it('finds all of a short name, or a pattern of it, and operands, queue and position of an instruction', () => {
    const events = eventsOf([
      { start: 0, dur: 1, lane: 1, name: 'a', op: 'mm' },
      { start: 1, dur: 1, lane: 1, name: 'b', op: 'record_param_comms' },
      { start: 2, dur: 1, lane: 1, name: 'MATMUL', op: 'addmm', operands: 'acc_flags=3 src=fp32@0x40[1][8]', pc: 72 },
      { start: 3, dur: 1, lane: 2, kind: 'copy', name: 'copy DMA', queue: '0 hardware_dynamic' },
    ]);
    const list = (query: string): number[] => [...(search(events, query)?.list ?? [])];
    expect(list('op:mm')).to.deep.equal([0]);
    expect(list('op:MM')).to.deep.equal([0]);
    expect(list('op:*mm')).to.deep.equal([0, 2]);
    expect(list('op:*mm*')).to.deep.equal([0, 1, 2]);
    expect(list('op:?m')).to.deep.equal([0]);
    // A word without a field is still a part of any text.
    expect(list('mm')).to.deep.equal([0, 1, 2]);
    expect(list('operands:acc_flags=3')).to.deep.equal([2]);
    expect(list('operands~"acc_flags=3"')).to.deep.equal([2]);
    expect(list('pc=72')).to.deep.equal([2]);
    expect(list('pc>=0')).to.deep.equal([2]);
    expect(list('queue:0*')).to.deep.equal([3]);
    expect(list('queue=~*dynamic')).to.deep.equal([3]);
  });

  it('compares amounts that are known', () => {
    expect(found('dur>30ns')).to.deep.equal([0, 4]);
    expect(found('bytes>2m')).to.deep.equal([4]);
    expect(found('bytes<3m')).to.deep.equal([2]);
    expect(found('id<5')).to.deep.equal([2, 3]);
    // From the profile's start, as the axis: the timeline begins at 1,000.
    expect(found('start=1050')).to.deep.equal([3]);
  });

  it('reads conditions in the language of --where', () => {
    expect(found('op==linear')).to.deep.equal([2]);
    expect(found('op!=linear')).to.deep.equal([3]);
    expect(found('op==na && kind!=launch')).to.deep.equal([0, 4]);
    expect(found('layer==Block && (kind==kernel || dur>=100)')).to.deep.equal([0, 2]);
    expect(found('sil>0.02us, bytes~na || name~MEMCPY')).to.deep.equal([4]);
    expect(found('kernel=="at::gemm<float>"')).to.deep.equal([2]);
    expect(found('bytes>=2M && bytes<3e6')).to.deep.equal([2]);
    expect(found('start>=1050')).to.deep.equal([3, 4]);
  });

  it('reads anything that is not a condition as words', () => {
    expect(found('gemm<float>')).to.deep.equal([2]);
    expect(found('linear dur>20')).to.deep.equal([2]);
    expect(found('nosuch==1')).to.deep.equal([]);
  });

  it('of blanks is no search; without matches there is no next one', () => {
    expect(search(EVENTS, ' ')).to.equal(null);
    const none = search(EVENTS, 'zzz');
    expect(none?.list).to.have.length(0);
    expect(none === null ? null : nextMatch(none, 3, 1)).to.equal(null);
  });

  it('sums times on devices, and the union of times on threads', () => {
    // Devices: 30 of 30 + 10 + 60. Threads: the launch lies within the range, 100 of 100.
    const matches = search(EVENTS, 'layer:net');
    expect(matches?.device).to.deep.equal({ count: 1, time: 30, share: 0.3 });
    expect(matches?.host).to.deep.equal({ count: 2, time: 100, share: 1 });
    expect(search(EVENTS, 'kind:launch')?.host).to.deep.equal({ count: 1, time: 20, share: 0.2 });
  });

  it('goes from match to match, around the ends', () => {
    const matches = search(EVENTS, 'net/');
    if (matches === null) throw new Error('no matches');
    const steps = ([from, step]: readonly [number | null, 1 | -1]): number | null => nextMatch(matches, from, step);
    const cases = [
      [null, 1],
      [null, -1],
      [0, 1],
      [2, 1],
      [0, -1],
      [4, -1],
      [4, 1],
    ] as const;
    expect(cases.map(steps)).to.deep.equal([0, 2, 1, 0, 2, 2, 0]);
  });

  it('counts those of the steps of a piece where it has work of others too', () => {
    const events = eventsOf([
      { start: 0, dur: 1, lane: 0, kind: 'launch', name: 'a', step: 7 },
      { start: 1, dur: 1, lane: 1, name: 'a', step: 7 },
      { start: 2, dur: 1, lane: 1, name: 'a', step: 8 },
      { start: 3, dur: 1, lane: 1, name: 'b', step: 8 },
      { start: 4, dur: 1, lane: 1, name: 'a' },
    ]);
    const own = (query: string, ...steps: [number, number]): number | null => {
      const matches = search(events, query);
      return matches === null ? null : ofOwnSteps(events, matches, steps);
    };
    expect(own('name:a', 7, 7)).to.equal(1);
    expect(own('name:a', 9, 9)).to.equal(0);
    expect(own('name:a', 7, 8)).to.equal(null);
    expect(own('name:b', 8, 8)).to.equal(null);
  });
});
