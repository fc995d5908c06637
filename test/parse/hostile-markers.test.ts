import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_RANGE_TEXT, parseMarker } from '../../src/parse/trace/markers/markers.js';
import { freshPath } from '../support/fresh-path.js';
import { kernelsOf, recordsOf } from '../support/profile-records.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { encodeLine } from '../../src/record/jsonl.js';
import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { propertyRuns } from '../support/property-runs.js';

/** A file that hostile code would make. */
const TRAP = freshPath('.trap');

const HOSTILE: Readonly<Record<string, string>> = {
  'a call': `__import__('os').system('touch ${TRAP}')`,
  'a call in a marker': `{'mod': 'torch', 'op': 'mm', 'args': [__import__('os').system('touch ${TRAP}')], 'type': 0}`,
  'JavaScript in a marker': `{'mod': 'x', 'op': 'y', 'args': [{'type': process.exit(9)}]}`,
  'a comprehension': "{'mod': 'torch', 'op': 'mm', 'args': [type(x) for x in range(10**9)]}",
  prose: 'this modern op takes args of any type',
  'prose in braces': '{the mod of an op, with args of one type}',
  'an invalid trace': 'my traceMarker strRepr',
  'control characters': 'a\u0001\u001b[31m\r\n\tb\u007f\u0085',
  NUL: 'before\0after',
  'lone surrogates': '\ud800 and \udfff',
  'right to left': '\u202eevil\u2066',
  'unbalanced brackets': "{'args': [[[[((((",
  'unbalanced quotes': `{'mod': 'a", 'op': "b', 'args': '''}`,
  'deep nesting': `{'args': ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  'a dict of inherited names': "{'__proto__': 1, 'constructor': 2, 'args': [], 'mod': 'm', 'op': 'o'}",
  'numbers that overflow': `x, seq = ${'9'.repeat(400)}`,
  'many labels': ', seq = 1, op_id = 2, sizes = [], input_op_ids = []'.repeat(2000),
  'one megabyte': 'x'.repeat(1 << 20),
  'two megabytes of a marker': `{'args': '${'x'.repeat(1 << 21)}'}`,
  'a layer of one megabyte': `layer:${'x'.repeat(1 << 19)}`,
};

describe('hostile marker texts', () => {
  for (const [what, text] of Object.entries(HOSTILE)) {
    it(`${what}: is read, and runs nothing`, () => {
      expect(parseMarker(text).kind).to.be.oneOf(['range', 'op', 'layer', 'call']);
      expect(existsSync(TRAP)).to.equal(false);
    });
  }

  it('any text is read', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom("{'mod': ", "'args': ", 'layer:', ', seq = 1', ', op_id = 2', ', sizes = [', ']', '{', "'", '['),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const marker = parseMarker(text);
        if (marker.kind === 'range') expect(text.startsWith(marker.text.slice(0, MAX_RANGE_TEXT))).to.equal(true);
        expect(parseMarker(text, true)).to.include({ kind: 'range', inDomain: true });
      }),
      { numRuns: propertyRuns(250) },
    );
  });

  it('long plain ranges are cut, so that they do not fill the records of all kernels inside', () => {
    const marker = parseMarker('x'.repeat(5000));
    expect(marker).to.include({ kind: 'range', text: `${'x'.repeat(MAX_RANGE_TEXT)}…` });
  });

  it('change nothing of the records but the text itself', () => {
    const call = "{'mod': 'torch', 'op': 'mm', 'args': []}";
    const build = (text: string | null): NsightDatabase => {
      const db = new NsightDatabase();
      db.launch(1, ['layer:a', call]);
      if (text !== null) db.range(text, 50, 160);
      return db.launch(2, ['mm, seq = 5']);
    };
    const plain = kernelsOf(build(null).write());
    for (const [what, text] of Object.entries(HOSTILE)) {
      if (what === 'a dict of inherited names' || what === 'many labels') continue;
      const path = build(text).write();
      const [first, other] = kernelsOf(path);
      expect({ ...first, ranges: [], layer: [] }, what).to.deep.equal({ ...plain[0], layer: [] });
      expect(first?.layer, what).to.include('a');
      expect(other, what).to.deep.equal(plain[1]);
      for (const record of recordsOf(path)) {
        const line = encodeLine(record);
        // eslint-disable-next-line no-control-regex -- a line must hold none
        expect(/[\u0000-\u001f]/.test(line.slice(0, -1)), what).to.equal(false);
        expect(JSON.parse(line), what).to.deep.equal(record);
      }
    }
    expect(existsSync(TRAP)).to.equal(false);
  });

  it('bytes that are not UTF-8 are read as something', () => {
    const path = new NsightDatabase().launch(1, ['bad']).write();
    const db = new Database(path);
    // FF is no UTF-8 at all; ED A0 80 would be a lone surrogate.
    db.exec("UPDATE NVTX_EVENTS SET text = CAST(X'6162FFEDA08063' AS TEXT)");
    db.close();
    const [kernel] = kernelsOf(path);
    expect(kernel?.ranges).to.have.length(1);
    expect(kernel?.ranges[0]).to.match(/^ab.+c$/);
  });
});
