import { expect } from 'chai';
import { outcome } from '../../src/cli/bin/boundary.js';
import { ClosedOutput } from '../../src/cli/output.js';
import { progress } from '../../src/cli/progress.js';
import { UsageError, UserError } from '../../src/record/errors.js';

const systemError = (code: string): Error => Object.assign(new Error('x'), { code, syscall: 'open', path: 'net.sql' });

describe('what ends a run', () => {
  it('is reported in one line, with its exit code', () => {
    const cases: readonly [unknown, string | null, number][] = [
      [new UserError('is broken', { where: 'f', hint: 'mend it' }), 'f: is broken (mend it)', 1],
      [new UsageError('no such option'), 'no such option', 2],
      [new ClosedOutput(), null, 0],
      [systemError('EPIPE'), null, 0],
      [systemError('EACCES'), 'net.sql: permission denied', 1],
      [systemError('EODD'), 'net.sql: EODD', 1],
      [new TypeError('a\nb'), 'TypeError: a\\u000ab (please report; DPROF_DEBUG=1 for the stack)', 1],
      ['text', 'text (please report; DPROF_DEBUG=1 for the stack)', 1],
    ];
    for (const [error, message, exitCode] of cases) expect(outcome(error)).to.deep.equal({ message, exitCode });
  });

  it('has a stack for whoever asks', () => {
    const before = process.env['DPROF_DEBUG'];
    process.env['DPROF_DEBUG'] = '1';
    try {
      expect(outcome(new TypeError('x')).message).to.match(/TypeError: x\n +at /);
    } finally {
      if (before === undefined) delete process.env['DPROF_DEBUG'];
      else process.env['DPROF_DEBUG'] = before;
    }
  });
});

describe('progress', () => {
  /** Draws at the given times in ms and gives what was written. */
  function drawn(
    times: readonly number[],
    isTTY: boolean,
    environment: Record<string, string> = {},
    show = true,
  ): string {
    let time = 0;
    let text = '';
    const terminal = { isTTY, columns: 30, write: (part: string) => (text += part) };
    const meter = progress('work', show, terminal, environment, () => time);
    for (time of times) meter.at(time, 1000);
    meter.clear();
    return text;
  }

  it('waits half a second, then draws at most every tenth', () => {
    expect(drawn([100, 499], true)).to.equal('');
    expect(drawn([500, 510, 599, 600], true)).to.equal('\rwork: 50 %\u001b[K\rwork: 60 %\u001b[K\r\u001b[K');
  });

  it('is for terminals, not for quiet runs, and heeds NO_COLOR', () => {
    expect(drawn([900], false)).to.equal('');
    expect(drawn([900], true, {}, false)).to.equal('');
    expect(drawn([900], true, { NO_COLOR: '1' })).to.equal('\rwork: 90 %\r          \r');
    expect(drawn([900], true, { TERM: 'dumb' })).to.not.include('\u001b');
  });

  it('counts where the end is not known', () => {
    let text = '';
    const terminal = { isTTY: true, write: (part: string) => (text += part) };
    let time = 0;
    const meter = progress('work', true, terminal, {}, () => time);
    time = 600;
    meter.at(2_500_000, null);
    expect(text).to.equal('\rwork: 2 M\u001b[K');
  });
});
