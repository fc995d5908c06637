/** docs/glossary.md: the words of all answers. */
import { GLOSSARY } from '../../src/record/glossary.js';
import { code, NOTICE, page, table } from './markdown.js';

export const glossaryPage = (): string =>
  page(
    NOTICE,
    '# Glossary',
    'What each word means, in every command, in its JSON and on the page; `dprof terms WORD` explains one. Lengths of devices are those of unions: what runs at the same time counts once. More about some of them: [key figures](guide/key-figures.md).',
    table(
      ['word', 'meaning', 'unit', 'share of', 'formula'],
      GLOSSARY.map(({ term, meaning, unit, shareOf, formula }) => [term, meaning, unit ?? '', shareOf ?? '', formula === undefined ? '' : code(formula)]), // prettier-ignore
    ),
  );
