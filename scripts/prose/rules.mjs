/** Words and forms that the project does not use, each with what to write in its place, and the limits of sentences and titles. */

export const WORDS_MAX = 35;
export const TITLE_MAX = 80;

/** Name, pattern, advice. Each match is one finding. */
export const phrases = [
  ['told', /\b(un)?told\b/gi, 'is notified, is given, receives; "by default" for "unless told"'],
  ['nobody', /\b(nobody|somebody|everybody|whoever|whomever)\b/gi, 'name the actor: no peer, another caller, all voters'],
  ['hear', /\b(hear|hears|heard|unheard)\b/gi, 'receive, is notified'],
  ['say', /\b(say|says|said|tell|tells)\b/gi, 'report, contain, define, return, state'],
  ['anew', /\b(anew|once more|afresh)\b/gi, 'again'],
  ['unless-told', /\bunless (told|given|said|one is given)\b/gi, 'by default'],
  [
    'stands-in',
    /\b(stands?|stood|standing|lies?|lying) (in|there|at|beside|below|above|before|behind|for)\b/gi,
    'is in, is at, contains',
  ],
  ['beside', /\bbesides?\b/gi, 'next to, also, in addition'],
  ['for-ever', /\bfor ever\b|\ball the same\b|\bfor want of\b/gi, 'forever, still, because of missing'],
  ['mend', /\b(mend|mends|mended|mending|cure|cures|cured)\b/gi, 'fix, fixed, remedy'],
  ['by-name', /\b(refused?|refuses|rejected|rejects) by name\b|, by name\b/gi, 'with an error that names it'],
  ['of-ones-own', /\bof (yours|ours|theirs|one's own|its own|their own|his own|my own|your own)\b/gi, 'your, its own + noun'],
  ['in-place-of', /\bin place of\b/gi, 'instead of'],
  ['alone', /\b(alone)\b(?=[.,;:)]|$)/gi, 'only'],
  ['owed', /\bowed\b/gi, 'pending'],
  ['is-no', /(?<!\bthere )\b(is|are|was|were) no (?!longer\b|more\b|one\b|other\b|such\b)[a-z]/gi, 'is not a, does not'],
  ['person-relative', /\b(for|of|by|to|from) who\b/gi, 'name the actor'],
  ['metaphor', /\b(errands?|household|befalls?|befell|desks?|letters? that|strays)\b/gi, 'the plain concept'],
];

/** How a sentence or a docstring does not begin. */
export const SENTENCE_START = /^(Who|Whom|Whose|Whoever|What|Of|For who|For whom)\b/;
export const DOCSTRING_START = /^(Whether|What|Who|Whom|Whose|Of|So|With|That|It)\b/;

export const sentencesOf = (text) => text.split(/(?<=[.!?])["')\]]*\s+(?=[A-Z"'(`])/);
