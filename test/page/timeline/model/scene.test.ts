import { expect } from 'chai';
import fc from 'fast-check';
import {
  allFacts,
  explainCommand,
  operandsOf,
  shortFacts,
  tensorsOf,
} from '../../../../src/page/timeline/events/event-facts.js';
import { actOn, type KeyActions } from '../../../../src/page/timeline/controls/keys.js';
import { FittedLabels } from '../../../../src/page/timeline/model/labels.js';
import { bandAt, HEADER, layoutOf, ROW } from '../../../../src/page/timeline/model/layout.js';
import { rowsOf } from '../../../../src/page/timeline/model/lane-rows.js';
import { Scene } from '../../../../src/page/timeline/model/scene.js';
import type { Lane } from '../../../../src/prof/html/timeline/timeline-data.js';
import { eventsOf, LANES } from '../fixture.js';

const EVENTS = eventsOf([
  { start: 0, dur: 1000, lane: 0, kind: 'range', name: 'step' },
  { start: 100, dur: 50, lane: 0, depth: 1, kind: 'launch', name: 'launch' },
  { start: 200, dur: 100, lane: 1, name: 'a', op: 'linear', dtype: 'bf16', tc: 'yes', id: 4, flops: 2e6, bytes: 500, launcher: 1 },
  { start: 240, dur: 100, lane: 2, name: 'b', id: 5 },
  { start: 400, dur: 100, lane: 1, kind: 'copy', name: 'c', bytes: 100 },
]); // prettier-ignore

function keysOf(scene: Scene): { readonly press: (...names: string[]) => void; readonly calls: string[] } {
  const calls: string[] = [];
  const keys: KeyActions = {
    scene,
    scroll: (by) => calls.push(`scroll ${by}`),
    addMarker: () => calls.push('marker'),
    nextMatch: (step) => calls.push(`match ${step}`),
    focusSearch: () => calls.push('search'),
    stepPiece: (by) => calls.push(`piece ${by}`),
  };
  const press = (...names: string[]): void => {
    for (const name of names) actOn(name.replace('shift ', ''), name.startsWith('shift '), keys);
  };
  return { press, calls };
}

describe('operation between ranks that is shown', () => {
  const lane = (rank: number, device: number, name: string): Lane => ({
    ...{ kind: 'device', name, group: `rank ${rank} · device ${device}`, depth: 1 },
    ids: { profile: rank, rank, device },
  });
  const events = eventsOf(
    [
      { start: 0, dur: 100, lane: 0, name: 'MATMUL' },
      { start: 200, dur: 100, lane: 1, kind: 'communication', name: 'AllReduce' },
    ],
    [lane(0, 0, 'Tensor'), lane(0, 0, 'CC stream 0'), lane(0, 1, 'Tensor'), lane(1, 2, 'Tensor')],
  );

  it('has its time, on all devices of its rank', () => {
    const scene = new Scene(events);
    expect(scene.operation).to.equal(null);
    const lanes = new Set(['rank 0 · device 0/*', 'rank 0 · device 1/*']);
    scene.set({ hovered: 1 });
    expect(scene.operation).to.deep.equal({ from: 200, to: 300, lanes });
    scene.set({ hovered: null, event: 1 });
    expect(scene.operation).to.deep.equal({ from: 200, to: 300, lanes });
  });

  it('is none where other work is', () => {
    const scene = new Scene(events);
    scene.set({ hovered: 0, event: 1 });
    expect(scene.operation).to.equal(null);
  });
});

describe('layout of lanes', () => {
  it('folds a lane of many rows until it is opened', () => {
    const deep = eventsOf(
      Array.from({ length: 40 }, (_, depth) => ({
        start: depth,
        dur: 100 - 2 * depth,
        lane: 0,
        depth,
        kind: 'range' as const,
      })),
    );
    const scene = new Scene(deep);
    const thread = () => scene.layout.lanes.find(({ name }) => name === 'thread 1');
    const folded = thread();
    expect(folded?.fold).to.deep.equal({ key: 'process 7/thread 1', isOpen: false, rows: 40 });
    expect(folded?.height).to.be.below(40);
    // Every event is still there, in its own row.
    expect(new Set(Array.from({ length: 40 }, (_, event) => scene.bandOf(event)?.top)).size).to.equal(40);
    scene.set({ opened: new Set(['process 7/thread 1']) });
    expect(thread()?.height).to.be.above(40 * 10);
  });

  it('folds frames of any depth, and leaves the other rows of the thread legible', () => {
    const apart = { kind: 'host', name: 'thread 1 · frames', group: 'process 7', depth: 2, apart: 'frames' } as const;
    const lanes = [apart, ...LANES];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 24 }), (frames, ops) => {
        const stack = (lane: number, rows: number) =>
          Array.from({ length: rows }, (_, depth) => ({ start: 0, dur: 9, lane, depth, kind: 'op' as const }));
        const layout = layoutOf(lanes, rowsOf(eventsOf([...stack(0, frames), ...stack(1, ops)], lanes)), new Set());
        const [folded, own] = layout.lanes.filter(({ name }) => name.startsWith('thread 1'));
        expect(folded?.fold?.rows ?? 1).to.equal(frames);
        expect(folded?.height).to.be.at.most(40);
        expect(own?.fold).to.equal(null);
        for (const band of layout.bands.filter(({ row }) => row.lane === 1)) expect(band.height).to.be.at.least(12);
      }),
    );
  });

  const rows = rowsOf(EVENTS);

  it('puts devices above threads, rows below each other', () => {
    const lanes = [LANES[1], LANES[0], LANES[2]].flatMap((lane) => (lane === undefined ? [] : [lane]));
    const { groups, lanes: placed } = layoutOf(lanes, rows, new Set());
    expect(groups.map(({ name, lanes: count }) => [name, count])).to.deep.equal([
      ['device 0', 2],
      ['process 7', 1],
    ]);
    expect(placed.map(({ name }) => name)).to.deep.equal(['stream 7', 'stream 9', 'thread 1']);
  });

  it('finds the band at a height', () => {
    const layout = layoutOf(LANES, rows, new Set());
    const [device] = layout.bands;
    expect(bandAt(layout, HEADER + 3)).to.equal(device);
    const [thread, inThread] = layout.bands.filter(({ row }) => row.lane === 0);
    expect([thread?.row.depth, inThread?.row.depth]).to.deep.equal([0, 1]);
    expect(bandAt(layout, (thread?.top ?? 0) + 1)).to.equal(thread);
    expect(bandAt(layout, (thread?.top ?? 0) + 1 + ROW)).to.equal(inThread);
    expect(bandAt(layout, 2)).to.equal(null);
  });

  it('shows a closed group in its header', () => {
    const open = layoutOf(LANES, rows, new Set());
    const closed = layoutOf(LANES, rows, new Set(['device 0']));
    expect(closed.lanes.map(({ name }) => name)).to.deep.equal(['thread 1']);
    const header = closed.groups[0];
    const inside = closed.bands.filter(({ row }) => row.lane > 0);
    expect(inside).to.have.length(2);
    for (const { top } of inside) expect(top - (header?.top ?? 0)).to.be.within(0, HEADER);
    expect(closed.height).to.be.below(open.height);
  });
});

describe('scene of a timeline', () => {
  it('reports to its watchers exactly what has changed', () => {
    const scene = new Scene(EVENTS);
    const reported: string[][] = [];
    scene.watch((changed) => reported.push([...changed]));
    scene.set({ search: 'linear', colour: 'op' });
    scene.set({ search: 'linear' });
    scene.select(2);
    expect(reported).to.deep.equal([['search'], ['event']]);
    expect([...(scene.matches?.list ?? [])]).to.deep.equal([2]);
  });

  it('finds an event by its position, and the position of an event', () => {
    const scene = new Scene(EVENTS);
    const band = scene.bandOf(2);
    expect(scene.eventAt(band, 250, 0)).to.equal(2);
    expect(scene.eventAt(band, 350, 10)).to.equal(null);
    scene.set({ closed: new Set(['process 7']) });
    // The launch is drawn with what encloses it.
    expect(scene.bandOf(1)?.row.depth).to.equal(0);
  });
});

describe('keys of a timeline', () => {
  it('move and zoom', () => {
    const scene = new Scene(EVENTS);
    const { press } = keysOf(scene);
    press('+', 'w', '=');
    const { from, to } = scene.shown.view;
    // All with its margins is 1040 wide.
    expect(to - from).to.be.closeTo(1040 / 1.5 ** 3, 1e-6);
    press('d');
    expect(scene.shown.view.from).to.be.closeTo(from + 0.15 * (to - from), 1e-6);
    press('ArrowLeft', '0');
    expect(scene.shown.view).to.deep.equal({ from: -20, to: 1020 });
  });

  it('go from event to event', () => {
    const scene = new Scene(EVENTS);
    const { press } = keysOf(scene);
    const selected: (number | null)[] = [];
    for (const key of ['shift ArrowDown', 'shift ArrowRight', 'shift ArrowRight', 'shift ArrowDown', 'shift ArrowDown', 'shift ArrowDown', 'shift ArrowUp', 'Escape']) {
      press(key);
      selected.push(scene.shown.event);
    } // prettier-ignore
    expect(selected).to.deep.equal([2, 4, 4, 3, 0, 1, 0, null]);
  });

  it('select the visible span, and zoom to it', () => {
    const scene = new Scene(EVENTS);
    const { press } = keysOf(scene);
    press('x');
    expect(scene.shown.span).to.deep.equal({ from: 0, to: 1000, lanes: null });
    scene.set({ span: { from: 200, to: 300, lanes: null } });
    press('f');
    expect(scene.shown.view).to.deep.equal({ from: 190, to: 310 });
    press('Escape');
    expect(scene.shown.span).to.equal(null);
  });

  it('move the edges of the selection, and its lanes', () => {
    const scene = new Scene(EVENTS);
    const { press } = keysOf(scene);
    const lanes = (): string[] => [...(scene.shown.span?.lanes ?? ['all'])];
    scene.set({ view: { from: 0, to: 1000 }, span: { from: 200, to: 300, lanes: null } });
    press(',', '>');
    expect(scene.shown.span).to.deep.equal({ from: 190, to: 310, lanes: null });
    press('.', '<');
    expect(scene.shown.span).to.deep.equal({ from: 200, to: 300, lanes: null });
    press('l');
    const first = lanes();
    expect(first).to.have.length(1).and.not.deep.equal(['all']);
    press('l');
    expect(lanes()).to.not.deep.equal(first);
    press('shift l');
    expect(lanes()).to.deep.equal(first);
    press('shift l');
    expect(lanes()).to.deep.equal(['all']);
    scene.set({ event: 2 });
    press('shift X');
    const { start, dur } = EVENTS;
    expect(scene.shown.span).to.deep.include({ from: start[2], to: (start[2] ?? 0) + (dur[2] ?? 0) });
    expect(lanes()).to.have.length(1).and.not.deep.equal(['all']);
  });

  it('call the panels', () => {
    const { press, calls } = keysOf(new Scene(EVENTS));
    press('m', 'n', 'shift N', '/', 'ArrowDown', 'q');
    expect(calls).to.deep.equal(['marker', 'match 1', 'match -1', 'search', 'scroll 54']);
  });
});

describe('facts of an event', () => {
  it('of an instruction have its operands one by one', () => {
    expect(operandsOf('S[5] (Tensor)++@complete  src=fp32@0x4400[1,0][128,1] 128*128 ')).to.deep.equal([
      'S[5] (Tensor)++@complete',
      'src=fp32@0x4400[1,0][128,1]',
      '128*128',
    ]);
  });

  it('list the tensors of a call', () => {
    // 64 · 1 · 32 · 32 · 4 bytes, 6 · 2 bytes, one number of 4 bytes.
    expect(tensorsOf('aten.conv2d(input=[64,1,32,32]fp32, [6]bf16, []fp32, [1,1], 1)  <- describes the kernel')).to.deep.equal([
      'input: 64 × 1 × 32 × 32 fp32, 262.1 kB',
      'tensor 2: 6 bf16, 12 B',
      'tensor 3: scalar fp32, 4 B',
    ]); // prettier-ignore
  });

  it('are the known values, and na for unknown ones', () => {
    const facts = Object.fromEntries(allFacts(EVENTS, 2));
    expect(facts['start']).to.equal("1.20 us (1,200 ns) from the profile's start");
    // 2 MFLOP in 100 ns are 20 TFLOP/s, 500 bytes 5 GB/s.
    expect(facts['FLOPs']).to.equal('2.00 MFLOP (20.00 TFLOP/s)');
    expect(facts['bytes']).to.equal('500 B (5.00 GB/s)');
    expect(facts['layer']).to.equal('na');
    expect(Object.fromEntries(allFacts(EVENTS, 3))['FLOPs']).to.equal('na');
    // What only kernels have is not unknown for a copy.
    expect(allFacts(EVENTS, 4).map(([name]) => name)).to.deep.equal(['kind', 'start', 'duration', 'lane', 'bytes']);
    expect(shortFacts(EVENTS, 4)).to.deep.equal([
      ['kind', 'copy'],
      ['start', '1.40 us'],
      ['duration', '100 ns'],
    ]);
  });

  it('give the command that explains a kernel of a file', () => {
    expect(explainCommand(EVENTS, 2, 1, 'net.jsonl')).to.equal('dprof --explain 1:4 net.jsonl');
    expect(explainCommand(EVENTS, 2, 0, "'my net'")).to.equal("dprof --explain 0:4 'my net'");
    expect(explainCommand(EVENTS, 4, 0, 'f')).to.equal(null);
  });
});

describe('labels of boxes', () => {
  // Every character 10 wide.
  const labels = new FittedLabels((text) => text.length * 10);

  it('are cut to what fits', () => {
    expect(labels.fitting('linear', 60)).to.equal('linear');
    // 0.9 × (50 − 10) / 10 = 3.6 characters.
    expect(labels.fitting('linear', 50)).to.equal('lin…');
    expect(labels.fitting('linear', 30)).to.equal('');
  });

  it('of long texts end with a mark', () => {
    expect(labels.fitting('a'.repeat(900), 1e6)).to.match(/^a+…$/);
  });
});
