import { expect } from 'chai';
import fc from 'fast-check';
import { escapeControls, escapeShownJson, jsonOf, legible } from '../../src/record/control-characters.js';

const HOSTILE = Array.from(
  '\u0000\u0007\u0008\n\u001b\u007f\u009b\u00ad\u061c\u200b\u200d\u200f\u2028\u202e\u2060\u2066\ufeff\u{e0041}\\u',
);

describe('texts that steer or hide', () => {
  it('shows direction marks, controls, zero-width characters and tags as JSON writes them', () => {
    expect(escapeControls('abc\u202egnp.exe')).to.equal(String.raw`abc\u202egnp.exe`);
    expect(escapeControls('a\u200bd\u{e0041}')).to.equal(String.raw`a\u200bd\udb40\udc41`);
    expect(escapeControls('\u001b[31m\u00ad')).to.equal(String.raw`\u001b[31m\u00ad`);
    expect(escapeControls('größe 漢字 mm<int, 2>')).to.equal('größe 漢字 mm<int, 2>');
  });

  it('keeps the value in JSON, with nothing hidden left in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...HOSTILE, '"', 'a') }), (text) => {
        const json = jsonOf({ [text]: [text] });
        expect(JSON.parse(json)).to.deep.equal({ [text]: [text] });
        expect(escapeControls(json)).to.equal(json);
      }),
    );
  });

  it('makes JSON whose texts show what they hold, white space apart', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...HOSTILE, '"', 'a') }), (text) => {
        const short: Readonly<Record<string, string>> = { '\b': '\\b', '\f': '\\f', '\r': '\\r', '\n': '\n' };
        const shown = Array.from(text, (one) => short[one] ?? escapeControls(one)).join('');
        expect(JSON.parse(escapeShownJson(JSON.stringify([text])))).to.deep.equal([shown]);
      }),
    );
  });

  it('cuts what people cannot read in its middle, and says how much is left out', () => {
    const name = `void ${'x'.repeat(700)}<int>`;
    const shown = legible(name);
    const [, left] = /…\((\d+) more\)…/.exec(shown) ?? [];
    expect(shown)
      .to.match(/^void x+ …/)
      .and.match(/x<int>$/)
      .and.have.length(500);
    expect(shown.length - ' …(000 more)… '.length + Number(left)).to.equal(name.length);
    expect(legible('y'.repeat(500))).to.equal('y'.repeat(500));
  });
});
