import { expect } from 'chai';
import fc from 'fast-check';
import {
  coloursOf,
  legendNames,
  longestOf,
  PALETTE,
  slotsOf,
  STRONG,
  UNKNOWN,
} from '../../../../src/page/timeline/events/event-colours.js';
import { hash, NO_LONGEST } from '../../../../src/prof/html/timeline/longest-texts.js';
import { eventsOf } from '../fixture.js';

type Rgb = readonly [number, number, number];
const times = (rows: readonly Rgb[], [x, y, z]: Rgb): Rgb =>
  rows.map(([a, b, c]) => Math.min(1, Math.max(0, a * x + b * y + c * z))) as unknown as Rgb;

/** sRGB → linear light, IEC 61966-2-1. */
const linear = (colour: string): Rgb =>
  [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;

/** OKLab of linear sRGB, https://bottosson.github.io/posts/oklab/. */
function oklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Colour vision without one kind of cones: matrices of Machado, Oliveira and Fernandes 2009, severity 1. */
const COLOUR_VISIONS: Readonly<Record<string, readonly Rgb[]>> = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no red': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  'no green': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  'no blue': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}; // prettier-ignore

describe('colours of events', () => {
  it('remain distinct for every kind of colour vision', () => {
    for (const [sight, matrix] of Object.entries(COLOUR_VISIONS)) {
      const simulated = PALETTE.map((colour) => oklab(times(matrix, linear(colour))));
      const distances = simulated.flatMap((a, i) =>
        simulated.slice(i + 1).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])),
      );
      // Two colours can be distinguished from a distance of about 0.02 on.
      expect(Math.min(...distances), sight).to.be.above(0.1);
    }
  });

  it('hash as published', () => {
    // FNV-1a of '' and 'a' with 32 bits: 811c9dc5, e40c292c; then folded by 15 bits.
    const folded = (value: number): number => (value ^ (value >>> 15)) >>> 0;
    expect(hash('')).to.equal(folded(0x811c9dc5 | 0));
    expect(hash('a')).to.equal(folded(0xe40c292c | 0));
  });

  it('are the same for a text whatever comes before it', () => {
    const texts = fc.uniqueArray(fc.nat(0xffff_ffff), { maxLength: STRONG });
    fc.assert(
      fc.property(texts, fc.integer(), (list, turn) => {
        const slots = slotsOf(list);
        const at = list.length === 0 ? 0 : Math.abs(turn) % list.length;
        expect(slotsOf([...list.slice(at), ...list.slice(0, at)])).to.deep.equal(slots);
        expect(new Set(slots.values()).size).to.equal(list.length);
        // One that has its slot for itself keeps it in every company.
        for (const text of list) {
          const isAlone = list.every((other) => other === text || other % STRONG !== text % STRONG);
          if (isAlone) expect(slots.get(text)).to.equal(text % STRONG);
        }
      }),
    );
  });

  it('are strong for the longest ten, pale for others, grey for what is not known', () => {
    const given = Array.from({ length: 13 }, (_, i) => ({
      start: i,
      dur: 100 - i,
      lane: 1,
      ...(i === 0 ? {} : { op: `op${i}` }),
    }));
    const { slots, legend, rest } = coloursOf(eventsOf(given), 'op');
    expect(slots[0]).to.equal(UNKNOWN);
    expect(legend.map(({ text }) => text)).to.deep.equal([null, ...Array.from({ length: 10 }, (_, i) => `op${i + 1}`)]);
    expect([...slots.subarray(1, 11)].every((slot) => slot < STRONG)).to.equal(true);
    expect([...slots.subarray(11)].every((slot) => slot >= STRONG && slot < UNKNOWN)).to.equal(true);
    // Durations of op11 and op12.
    expect(rest).to.deep.equal({ count: 2, time: 89 + 88 });
  });

  it('of the host and of copies are pale ones of their names, and only kernels without an op are unknown', () => {
    const events = eventsOf([
      { start: 0, dur: 5, lane: 0, kind: 'range', name: 'forward' },
      { start: 1, dur: 2, lane: 0, kind: 'launch', name: 'cudaLaunchKernel' },
      { start: 2, dur: 3, lane: 1, kind: 'copy', name: 'copy HtoD' },
      { start: 6, dur: 4, lane: 1, name: 'k' },
      { start: 12, dur: 5, lane: 0, kind: 'range', name: 'forward' },
    ]);
    const { slots, legend } = coloursOf(events, 'op');
    expect([...slots].map((slot) => slot >= STRONG && slot < UNKNOWN)).to.deep.equal([true, true, true, false, true]);
    expect(slots[4]).to.equal(slots[0]);
    expect(legend).to.deep.equal([{ text: null, slot: UNKNOWN, count: 1, device: 4, host: 0 }]);
  });

  it('are those of the page in each of its pieces, and ranks are added', () => {
    const longest = longestOf([
      { ...NO_LONGEST, op: [[hash('mm'), 50, 0], [hash('add'), 40, 0]] },
      { ...NO_LONGEST, op: [[hash('add'), 30, 0], [hash('copy_'), 0, 900]] },
    ]); // prettier-ignore
    expect(longest.op).to.deep.equal([[hash('add'), 70, 0], [hash('mm'), 50, 0], [hash('copy_'), 0, 900]]); // prettier-ignore
    const piece = eventsOf([
      ...Array.from({ length: 12 }, (_, i) => ({ start: i, dur: 100, lane: 1, op: `rare${i}` })),
      { start: 20, dur: 1, lane: 1, op: 'mm' },
    ]);
    const [alone, inPage] = [coloursOf(piece, 'op'), coloursOf(piece, 'op', longest)];
    const whole = coloursOf(eventsOf([{ start: 0, dur: 5, lane: 1, op: 'mm' }]), 'op', longest);
    expect(alone.slots[12]).to.be.at.least(STRONG);
    expect(inPage.slots[12]).to.be.below(STRONG).and.equal(whole.slots[0]);
    // What is long here alone is pale, and in the legend.
    expect(inPage.slots[0]).to.be.at.least(STRONG);
    expect(inPage.legend.map(({ text }) => text)).to.include.members(['rare0', 'mm']);
  });

  it('are listed by their time on devices, and what runs on threads alone comes last', () => {
    const { legend } = coloursOf(
      eventsOf([
        { start: 0, dur: 500, lane: 0, kind: 'op', name: 'to', op: 'to' },
        { start: 0, dur: 900, lane: 0, kind: 'op', name: 'mm', op: 'mm' },
        { start: 1, dur: 20, lane: 1, op: 'mm' },
        { start: 30, dur: 40, lane: 1, op: 'add' },
      ]),
      'op',
    );
    expect(legend.map(({ text, device, host }) => [text, device, host])).to.deep.equal([
      ['add', 40, 0],
      ['mm', 20, 900],
      ['to', 0, 500],
    ]);
  });

  it('follow the chosen key', () => {
    const events = eventsOf([
      { start: 0, dur: 5, lane: 1, name: 'a', tc: 'yes' },
      { start: 6, dur: 5, lane: 1, name: 'b', kind: 'copy', tc: 'yes' },
    ]);
    const isSame = (key: 'tc' | 'kernel' | 'kind'): boolean => {
      const { slots } = coloursOf(events, key);
      return slots[0] === slots[1];
    };
    expect([isSame('tc'), isSame('kernel'), isSame('kind')]).to.deep.equal([true, false, false]);
  });

  it('have the names of kernels as in tables, unless several have the same', () => {
    const texts = ['void fuse<1>(float)', 'fuse', 'void add<2>(int)', 'void add<4>(int)', 'add', 'copy HtoD'];
    const legend = [0, 2, 3, 5].map((at) => ({ text: texts[at] ?? null }));
    const shortNames = new Map([[0, 1], [2, 4], [3, 4]]); // prettier-ignore
    const names = ['fuse', 'void add<2>(int)', 'void add<4>(int)', 'copy HtoD', 'unknown'];
    expect(legendNames({ texts, shortNames }, [...legend, { text: null }])).to.deep.equal(names);
  });
});
