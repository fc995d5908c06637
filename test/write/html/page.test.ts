import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { escapeControls } from '../../../src/record/control-characters.js';
import { jsonPieces, page } from '../../../src/write/html/page.js';

const PROGRAM = { script: 'const a = 1;', charts: 'const b = 2;', style: 'p{color:red}' };
const documentOf = (value: unknown, title = 'net', program = PROGRAM): string =>
  [...page(title, program, [{ id: 'data', value }])].join('');

const HOSTILE = '</script><script>alert(1)</script><!-- <script> ]]> \u2028\u2029 &amp; "\'';

describe('JSON of a page', () => {
  const written = (value: unknown): string => [...jsonPieces(value)].join('');

  it('parses to the same value, in any number of pieces', () => {
    const value = { a: [1, { b: null, c: [] }], d: {}, e: 'x', f: [[[[[1, 2]]]]], g: undefined, h: true, i: -1.5 };
    expect(JSON.parse(written(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
    for (const plain of [null, 0, '', [], {}, 'a']) expect(JSON.parse(written(plain))).to.deep.equal(plain);
  });

  it('has no sign that opens or ends an element, nor have its names', () => {
    const value = { [HOSTILE]: [HOSTILE], deep: [[[[[[HOSTILE]]]]]] };
    const text = written(value);
    expect(text).to.not.match(/[<\u2028\u2029]/);
    const shown = escapeControls(HOSTILE);
    expect(JSON.parse(text)).to.deep.equal({ [shown]: [shown], deep: [[[[[[shown]]]]]] });
  });

  it('is well-formed whatever the texts hold', () => {
    const halves = { text: '\ud800 \udfff \u0000 \uffff' };
    expect(JSON.parse(written(halves))).to.deep.equal({ text: '\ud800 \udfff \\u0000 \uffff' });
    expect(written(halves)).to.not.match(/[\ud800-\udfff]/);
  });

  it('shows what would turn the direction of a name or not be seen', () => {
    expect(JSON.parse(written(['abc\u202egnp.exe', 'a\u200bd', 'a\\u0007b\u0007\n'])) as unknown).to.deep.equal([
      String.raw`abc\u202egnp.exe`,
      String.raw`a\u200bd`,
      'a\\u0007b\\u0007\n',
    ]);
  });

  it('is never one text in memory', () => {
    const ranks = Array.from({ length: 100 }, () => ({ list: Array.from({ length: 100 }, (_, i) => ({ i })) }));
    const pieces = [...jsonPieces({ ranks })];
    expect(Math.max(...pieces.map(({ length }) => length))).to.be.below(100);
  });
});

describe('document of a page', () => {
  it('holds title, data, program and style', () => {
    const text = documentOf({ n: 1 });
    expect(text).to.match(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/);
    expect(text).to.include('<title>net</title>').and.include('<main id="page"></main>').and.include('<noscript>');
    expect(text).to.include('<script type="application/json" id="data">{"n":1}</script>');
    expect(text).to.include('<script type="text/plain" id="charts">const b = 2;</script>');
    expect(text).to.include('<script>const a = 1;</script>').and.include('<style>p{color:red}</style>');
    expect(text.endsWith('</html>\n')).to.equal(true);
  });

  it('allows no requests, and only its own program', () => {
    const hashOf = (part: keyof typeof PROGRAM): string => createHash('sha256').update(PROGRAM[part]).digest('base64');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(documentOf({}))?.[1] ?? '';
    expect(policy.split('; ')).to.include.members([
      "default-src 'none'",
      `script-src 'sha256-${hashOf('script')}' 'sha256-${hashOf('charts')}'`,
      `style-src 'sha256-${hashOf('style')}'`,
      "require-trusted-types-for 'script'",
    ]);
    expect(policy).to.not.match(/unsafe-|https?:|blob:|\*/);
    expect(documentOf({})).to.not.match(/<(?:script|link|img)[^>]*(?:src|href)="(?!data:)/);
  });

  it('escapes hostile texts', () => {
    const text = documentOf({ name: HOSTILE }, HOSTILE);
    // As many as without them: of the data and of both programs.
    expect(text.match(/<script/gi)).to.have.length(3);
    expect(text.match(/<\/script/gi)).to.have.length(3);
    expect(text).to.not.include('<!--');
    expect(text).to.include('<title>&lt;/script&gt;&lt;script&gt;alert(1)');
    const data = /id="data">(.*?)<\/script>/s.exec(text)?.[1] ?? '';
    expect(JSON.parse(data)).to.deep.equal({ name: escapeControls(HOSTILE) });
  });

  it('has a title on one line, without direction marks', () => {
    expect(documentOf({}, 'a\nb\u202ec\u0000')).to.include('<title>a\\u000ab\\u202ec\\u0000</title>');
  });

  it('keeps strings of the program from ending its element', () => {
    const script = 'x = "</script>"; y = "<!-- <script>"; z = `</SCRIPT>`;';
    const text = documentOf({}, 'net', { script, charts: script, style: 'p{content:"</style>"}' });
    const escaped = String.raw`x = "<\/script>"; y = "\x3c!-- \x3cscript>"; z = ${'`'}<\/SCRIPT>${'`'};`;
    // Of the program and of the library of charts.
    expect(text.split(escaped)).to.have.length(3);
    expect(text).to.include(String.raw`p{content:"<\/style>"}`);
  });
});
