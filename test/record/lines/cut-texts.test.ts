import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { appendReadable, withTextsCut, appendLine } from '../../../src/record/lines/append-line.js';
import { LineBytes } from '../../../src/record/lines/line-bytes.js';
import { InstructionLine } from '../../../src/record/lines/device-lines.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { freshPath } from '../../support/fresh-path.js';
import { kernel } from '../../support/kernels.js';
import { runCli } from '../../support/run-cli.js';
import { itSlow } from '../../support/sets.js';
import * as kineto from '../../support/kineto-trace.js';

/** A record with its strings cut, and how many were. */
function cut(record: ProfileLine, one: number, all: number): readonly [ProfileLine, number] {
  const diagnostics = new Diagnostics();
  const taken = withTextsCut(record, diagnostics, { one, all });
  return [taken, diagnostics.get('text-cut')];
}

describe('long texts of records', () => {
  const record = kernel({ id: 1, name: 'n'.repeat(101), short: 'n'.repeat(100), ranges: ['r'.repeat(300), 'abc'] });

  it('are cut to the limit, whichever field they are in', () => {
    const ranges = ['r'.repeat(100), 'abc'];
    expect(cut(record, 100, 1e4)).to.deep.equal([{ ...record, name: 'n'.repeat(100), ranges }, 2]);
    expect(cut(record, 300, 1e4)).to.deep.equal([record, 0]);
  });

  it('are cut where they are too long together', () => {
    const [taken] = cut({ type: 'end', name: 'n'.repeat(101) } as unknown as ProfileLine, 50, 40);
    // The key and value of `type`, and the key of `name`, have 4 + 3 + 4 characters.
    expect(taken).to.deep.equal({ type: 'end', name: 'n'.repeat(29) });
  });

  it('are not cut within a character', () => {
    expect(cut({ ...record, name: `${'n'.repeat(99)}\u{1f600}` }, 100, 1e4)[0]).to.deep.include({
      name: 'n'.repeat(99),
    });
  });

  it('make a line that is read; all other lines are as they were', () => {
    const instruction = (name: string): ProfileLine =>
      new InstructionLine(0, 1, name, 0, 1, 0, 0, 'Tensor', [0, 1000], { n: 1 }, null);
    const lines = new LineBytes(64);
    const diagnostics = new Diagnostics();
    for (const name of ['k', 'k'.repeat(2 ** 20 + 1)])
      for (const line of [kernel({ name, short: 'k' }), instruction(name)])
        appendReadable(lines, line, appendLine, diagnostics);
    const [first, second, third, fourth] = lines.takeText().split('\n');
    expect([first, second]).to.deep.equal([JSON.stringify(kernel({ name: 'k', short: 'k' })), JSON.stringify(instruction('k'))]); // prettier-ignore
    const name = 'k'.repeat(2 ** 20);
    expect([third, fourth]).to.deep.equal([JSON.stringify(kernel({ name, short: 'k' })), JSON.stringify(instruction(name))]); // prettier-ignore
    expect(diagnostics.toJSON()).to.deep.equal({ 'text-cut': 3 });
  });

  it('may be longer than a string can be', () => {
    const lines = new LineBytes(64);
    const names: string[] = [];
    const append = (_: LineBytes, line: ProfileLine): void => {
      names.push(line.type);
      if (names.length === 1) throw new RangeError('Invalid string length');
    };
    appendReadable(lines, record, append, new Diagnostics());
    expect(names).to.have.length(2);
  });

  itSlow('a kernel whose names take more than a line may have is written so that it is read', async () => {
    const trace = freshPath('.json');
    writeFileSync(trace, kineto.traceText([kineto.kernel('k'.repeat(33 * 2 ** 20), 1, 0), kineto.kernel('b', 2, 20)]));
    for (const format of ['records', 'pyprof']) {
      const written = await runCli('dparse', ['-f', format, trace]);
      expect(written.stderr).to.include(
        'strings longer than a million characters, or in a record of more than eight million (cut): 2',
      );
      const { code, stdout } = await runCli('dprof', ['-f', 'csv', '-c', 'idx,sil'], { input: written.stdout });
      expect([code, stdout.split('\n').length], format).to.deep.equal([0, 4]);
    }
  });
});
