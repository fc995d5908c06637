/** Documents of limited length: what goes first, what stays, and what is counted. */
import { expect } from 'chai';
import { shortened, type LeftOut, type WholeDocument } from '../../src/write/shortened-document.js';

const LARGEST = 200_000;

const document = (answer: readonly unknown[], rows = answer.length): WholeDocument => ({
  head: { schema: 'dprof/made/1', tool: 'dprof', command: ['made'] },
  ...{ inputs: [{ profile: 0 }], window: null, doubts: [{ text: 'lost' }], cannot: [{ what: 'no op' }] },
  ...{ answer, rows, characters: 99_999, inputsLeftOut: 0 },
});

interface Made {
  readonly command: readonly string[];
  readonly answer: readonly Readonly<Record<string, unknown>>[];
  readonly doubts: readonly unknown[];
  readonly cannot: readonly unknown[];
  readonly leftOut: LeftOut;
}

/** The shortened document, which is within the limit. */
function made(whole: WholeDocument, most: number, importance: readonly string[] = []): Made {
  const { text, least } = shortened(whole, { most, largest: LARGEST }, importance);
  expect([least, text.length <= most]).to.deep.equal([null, true]);
  return JSON.parse(text) as Made;
}

const numbered = (count: number): { n: number }[] => Array.from({ length: count }, (_, n) => ({ n }));

describe('a document of limited length', () => {
  it('leaves out rows from the end and counts them, with those that were not held', () => {
    const { answer, doubts, cannot, leftOut } = made(document(numbered(50), 1000), 600);
    expect(answer).to.deep.equal(numbered(answer.length));
    expect(answer.length).to.be.above(5).and.below(50);
    expect(leftOut.rows).to.deep.equal({ answer: 1000 - answer.length });
    expect([doubts, cannot]).to.deep.equal([[{ text: 'lost' }], [{ what: 'no op' }]]);
  });

  it('keeps more of a list that is more important', () => {
    const row = { a: numbered(100), b: numbered(100) };
    const lengths = (importance: readonly string[]): boolean => {
      const [{ a, b }] = made(document([row]), 900, importance).answer as [{ a: unknown[]; b: unknown[] }];
      expect([a.length, b.length].every((length) => length >= 5)).to.equal(true);
      return a.length > b.length;
    };
    expect([lengths(['a', 'b']), lengths(['b', 'a'])]).to.deep.equal([true, false]);
  });

  it('leaves out keys that have no room, curves as a whole, and says so', () => {
    const curve = Array.from({ length: 300 }, (_, i) => i);
    const { answer, leftOut } = made(document([{ total: 7, devices: numbered(2), curve, parts: { x: 'y'.repeat(900) } }]), 700, ['devices']); // prettier-ignore
    expect(answer).to.deep.equal([{ total: 7, devices: numbered(2) }]);
    expect(leftOut.keys).to.deep.equal(['answer.curve', 'answer.parts']);
    expect(leftOut.wayOut).to.match(/^--max-chars \d+ leaves nothing out$/);
  });

  it('takes an object with many keys for a list', () => {
    const metrics = Object.fromEntries(numbered(100).map(({ n }) => [`metric ${n}`, { value: n }]));
    const { answer, leftOut } = made(document([{ metrics }]), 800);
    const kept = Object.keys(answer[0]?.['metrics'] as object);
    expect(kept.slice(0, 2)).to.deep.equal(['metric 0', 'metric 1']);
    expect(leftOut.rows).to.deep.equal({ 'answer.metrics': 100 - kept.length });
  });

  it('cuts long texts only where an important list has no room otherwise', () => {
    const names = [{ name: 'x'.repeat(3000) }, { name: 'y' }];
    expect(made(document([{ names }]), 4000, ['names'])).to.deep.include({ answer: [{ names }] });
    const { answer, leftOut } = made(document([{ names }]), 1000, ['names']);
    expect(leftOut.texts).to.equal(400);
    expect(answer).to.deep.equal([{ names: [{ name: `${'x'.repeat(399)}…` }, { name: 'y' }] }]);
  });

  it('has the length of the smallest document when nothing fits', () => {
    const { text, least } = shortened(document(numbered(3)), { most: 50, largest: LARGEST }, []);
    expect(text).to.equal('');
    expect(made(document(numbered(3)), Number(least)).answer).to.deep.equal([]);
  });

  it('has the command as a whole, or leaves it out and counts its arguments', () => {
    for (const count of [3, 30]) {
      const command = Array.from({ length: count }, (_, i) => `${i}-${'x'.repeat(700)}`);
      const whole = { ...document(numbered(3)), head: { schema: 'dprof/made/1', tool: 'dprof', command } };
      const short = made(whole, 1000);
      expect([short.command, short.leftOut.rows['command']]).to.deep.equal([[], count]);
      const long = made(whole, 1000 + 710 * count);
      expect([long.command, long.leftOut.rows]).to.deep.equal([command, {}]);
    }
  });

  it('has a short command rather than further rows', () => {
    const short = made(document(numbered(500)), 700);
    expect([short.command, short.answer.length > 5]).to.deep.equal([['made'], true]);
  });

  it('suggests no number above the largest that may be given', () => {
    const whole = document(numbered(50));
    const wayOut = (characters: number): string => made({ ...whole, characters }, 600).leftOut.wayOut;
    expect(wayOut(LARGEST - 9)).to.equal(`--max-chars ${LARGEST} leaves nothing out`);
    expect(wayOut(LARGEST - 8)).to.equal('nothing is left out without --max-chars');
  });
});
