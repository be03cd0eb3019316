/** The editor of the user's own story: moments with captions in order, saved as a file. */
import { useState } from 'preact/hooks';
import { storyFile } from '../../stories/read-story.js';
import { numberText } from '../../model/words.js';
import { download } from '../download.js';
import { addMoment, addsGestures, leaveOut, moments, ownStory, rewrite } from './own.js';

export function StoryRecorder() {
  return (
    <details class="own-story" open={moments.value.length > 0}>
      <summary>a story of it</summary>
      <label class="row">
        <input
          type="checkbox"
          checked={addsGestures.value}
          onChange={({ currentTarget: { checked } }) => (addsGestures.value = checked)}
        />{' '}
        add each gesture as it is made
      </label>
      <NewMoment />
      <ol class="moments" aria-label="moments of the story">
        {moments.value.map(({ run, at, text }, place) => (
          <li key={place}>
            <span class="at">
              {run}, {numberText(at)}
            </span>
            <input
              aria-label={`what is to be seen at ${numberText(at)}`}
              value={text}
              onChange={({ currentTarget: { value } }) => rewrite(place, value)}
            />
            <button type="button" class="small" onClick={() => leaveOut(place)}>
              leave out
            </button>
          </li>
        ))}
      </ol>
      {moments.value.length > 0 && <Save />}
    </details>
  );
}

function NewMoment() {
  const [text, setText] = useState('');
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        addMoment(text.trim());
        setText('');
      }}
    >
      <input
        aria-label="what is to be seen at the playhead"
        placeholder="what is to be seen here"
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
      <button type="submit" class="small" disabled={text.trim() === ''}>
        add this moment
      </button>
    </form>
  );
}

function Save() {
  const [title, setTitle] = useState('');
  return (
    <p class="row">
      <input
        aria-label="title of the story"
        placeholder="title"
        value={title}
        onInput={({ currentTarget: { value } }) => setTitle(value)}
      />
      <button
        type="button"
        class="small"
        onClick={() => download('story.json', [storyFile(ownStory(title.trim() || 'A story'))])}
      >
        save as story
      </button>
    </p>
  );
}
