import { expect } from 'chai';
import { lossesOf, Losses } from '../../../src/prof/input/losses.js';

/** Losses with a count of each kind for each file, in order. */
function losses(level: 'loss' | 'doubt', kinds: readonly (readonly [file: string, diagnostic: string])[]): Losses {
  const all = new Losses();
  for (const [file, diagnostic] of kinds) all.addDoubts(file, [{ diagnostic, level, text: diagnostic, count: 2 }]);
  return all;
}

/** An input that was parsed, with doubts of one kind. */
const parsed = (name: string) => ({ name, isParsed: true, losses: losses('doubt', [[name, 'overlap']]) });

describe('losses and doubts of several inputs', () => {
  it('count each profile once, whether a reader or the answer found something in it', () => {
    const read = ['in/a', 'in/b'].map(parsed);
    const found = losses('doubt', [
      ['b', 'above-peak'],
      ['c', 'above-peak'],
    ]);
    expect(lossesOf(read).lineOf('doubt')).to.match(/^2 profiles, in\/a first: .*: overlap: 4$/);
    expect(lossesOf(read, found).lineOf('doubt')).to.match(/^3 profiles, in\/a first: .*: above-peak: 4; overlap: 4$/);
    expect(lossesOf([], found).lineOf('doubt')).to.match(/^2 profiles, b first: /);
    expect(lossesOf(read, found).lineOf('loss')).to.equal(null);
    expect(lossesOf(read, found).doubts.map(({ diagnostic, file }) => [diagnostic, file])).to.deep.equal([
      ['above-peak', 'in/b'],
      ['overlap', 'in/a'],
    ]);
  });

  it('leave the name of a file in records that several inputs have', () => {
    const read = ['in/a', 'out/a'].map(parsed);
    const { doubts } = lossesOf(read, losses('doubt', [['a', 'above-peak']]));
    expect(doubts.find(({ diagnostic }) => diagnostic === 'above-peak')?.file).to.equal('a');
    const both = losses('doubt', [
      ['a', 'above-peak'],
      ['a', 'above-peak'],
    ]);
    expect(lossesOf(read, both).lineOf('doubt')).to.match(/^2 profiles, in\/a first: /);
    expect(lossesOf([parsed('in/a'), { ...parsed('out/a'), losses: new Losses() }], both).lineOf('doubt')).to.match(/^2 profiles, /); // prettier-ignore
  });

  it('count profiles of the same name apart', () => {
    const both = losses('loss', [
      ['a', 'cell'],
      ['a', 'cell'],
    ]);
    const records = [{ name: 'net.dict', isParsed: false, losses: both }];
    expect(lossesOf(records).lineOf('loss')).to.match(/^2 profiles, a first: /);
    expect(lossesOf(records, losses('loss', [['a', 'row']])).lineOf('loss')).to.match(/^2 profiles, a first: /);
  });
});
