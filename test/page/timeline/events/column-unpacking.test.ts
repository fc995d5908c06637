import { expect } from 'chai';
import { loadEvents, launchedBy, textOf } from '../../../../src/page/timeline/events/events.js';
import { unpackColumn } from '../../../../src/page/timeline/events/column-unpacking.js';
import { packColumn } from '../../../../src/prof/html/timeline/column-packing.js';
import { packed, timelineOf } from '../fixture.js';

async function failure(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

describe('packed numbers', () => {
  it('are restored in their type', async () => {
    expect(await unpackColumn('a', packed('u8', [0, 255]))).to.deep.equal(Uint8Array.of(0, 255));
    expect(await unpackColumn('a', packed('u16', [1, 65535]))).to.deep.equal(Uint16Array.of(1, 65535));
    expect(await unpackColumn('a', packed('u32', [2, 4294967295]))).to.deep.equal(Uint32Array.of(2, 4294967295));
    expect(await unpackColumn('a', packed('f64', [-1, 0.5]))).to.deep.equal(Float64Array.of(-1, 0.5));
    expect(await unpackColumn('a', packed('u8', []))).to.deep.equal(new Uint8Array(0));
  });

  it('are read as the writer of pages writes them', async () => {
    for (const numbers of [[1, 200], [300], [70_000, 5], [-1, 2.5]]) {
      expect([...(await unpackColumn('a', packColumn(numbers)))]).to.deep.equal(numbers);
    }
  });

  it('that are damaged are rejected in one line with their name', async () => {
    const good = packed('u16', [1, 2, 3]);
    expect(await failure(unpackColumn('dur', { ...good, length: 2 }))).to.equal('dur: more than 4 bytes');
    expect(await failure(unpackColumn('dur', { ...good, length: 4 }))).to.equal('dur: 6 bytes instead of 8');
    expect(await failure(unpackColumn('dur', { ...good, length: 1e12 }))).to.equal('dur: no usable length');
    expect(await failure(unpackColumn('dur', { ...good, type: 'u64' as 'u8' }))).to.equal(
      'dur: unknown type of numbers',
    );
    for (const data of ['AAAA', '!', good.data.slice(0, 4)]) {
      expect(await failure(unpackColumn('dur', { ...good, data }))).to.match(/^dur: [^\n]+$/);
    }
  });
});

describe('events of a timeline', () => {
  it('have launch arrows', async () => {
    const given = [
      { start: 0, dur: 5, lane: 0, kind: 'launch', name: 'l' },
      { start: 7, dur: 5, lane: 1, name: 'a', launcher: 0 },
      { start: 9, dur: 5, lane: 2, name: 'b', launcher: 0 },
    ] as const;
    const events = await loadEvents(timelineOf(given));
    expect(launchedBy(events, 0)).to.deep.equal([1, 2]);
    expect([...events.arrows.launcher]).to.deep.equal([-1, 0, 0]);
    expect(events.span).to.equal(14);
  });

  it('state in words whether tensor cores were used', async () => {
    const given = ['1', '0', 'unsure', ''].map((tc, i) => ({ start: i, dur: 1, lane: 1, name: '1', tc }));
    const events = await loadEvents(timelineOf(given));
    expect(given.map((_, event) => textOf(events, 'tc', event))).to.deep.equal(['yes', 'no', 'unsure', null]);
    // A kernel may be called 1.
    expect(textOf(events, 'name', 0)).to.equal('1');
  });

  it('with columns of different lengths are rejected', async () => {
    const timeline = timelineOf([{ start: 0, dur: 1, lane: 0 }]);
    const columns = { ...timeline.columns, op: packed('u8', [0, 0]) };
    expect(await failure(loadEvents({ ...timeline, columns }))).to.equal('op: 2 of 1 events');
  });

  it('with lanes, kinds and arrows that do not exist are still events', async () => {
    const timeline = timelineOf([{ start: 0, dur: 1, lane: 0 }]);
    const columns = {
      ...timeline.columns,
      lane: packed('u8', [9]),
      kind: packed('u8', [99]),
      dur: packed('f64', [NaN]),
    };
    const events = await loadEvents({ ...timeline, columns, arrows: packed('u32', [0, 8, 5]) });
    expect([events.lane[0], events.kind[0], events.dur[0]]).to.deep.equal([0, 0, 0]);
    expect(events.arrows.pairs).to.have.length(0);
  });
});
