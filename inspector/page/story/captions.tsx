/** The captions of a story, which appear as the picture gets to their places, with explanations of their terms. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { currentStep, isFound, story, captions } from './state.js';

/** The term that is explained, in the step that it was asked in. */
const asked = signal<{ readonly step: unknown; readonly term: string } | null>(null);
const askedNow = (): string | null => (asked.value?.step === currentStep.value ? (asked.value?.term ?? null) : null);

export function StoryText() {
  const { terms = {} } = story.value!;
  const term = askedNow();
  // A term is marked where it comes first.
  const known = new Set<string>();
  return (
    <div>
      <p class="text" role="status">
        {captions.value.map((description) => (
          <span key={description}>{withTerms(description, terms, known)} </span>
        ))}
        {!isFound.value && <em>This run never comes to the place that is meant.</em>}
      </p>
      {term !== null && (
        <p class="meaning" role="note">
          <b>{term}</b>: {terms[term]}
        </p>
      )}
    </div>
  );
}

function withTerms(description: string, terms: Readonly<Record<string, string>>, known: Set<string>): ComponentChildren {
  const words = Object.keys(terms);
  if (words.length === 0) return description;
  const longest = words
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  const parts = description.split(new RegExp(String.raw`(?<![\p{L}\d])(${longest.join('|')})(?![\p{L}\d])`, 'u'));
  return parts.map((part, i) => {
    if (i % 2 === 0 || known.has(part)) return part;
    known.add(part);
    return <Term key={part} term={part} />;
  });
}

function Term({ term }: { term: string }) {
  const isAsked = askedNow() === term;
  return (
    <button
      type="button"
      class="term"
      aria-expanded={isAsked}
      onClick={() => (asked.value = isAsked ? null : { step: currentStep.value, term })}
    >
      {term}
    </button>
  );
}
