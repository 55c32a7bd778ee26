'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const ORDER = ['Survived', 'NoCoverage', 'Timeout', 'Killed'];
  const WORDS = { Survived: 'survived', NoCoverage: 'not covered', Timeout: 'timeout', Killed: 'killed' };
  const shown = new Set(['Survived', 'NoCoverage', 'Timeout', 'Killed']);
  const tests = new Map();
  for (const file of Object.values(data.testFiles || {})) for (const test of file.tests) tests.set(test.id, test.name);
  const names = Object.keys(data.files);

  // An element with properties, attributes and children; text is never parsed as HTML.
  const make = (tag, options = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(options)) {
      if (key in node) node[key] = value; else node.setAttribute(key, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };
  const count = (mutants) => {
    const counts = {};
    for (const mutant of mutants) counts[mutant.status] = (counts[mutant.status] || 0) + 1;
    return counts;
  };
  const score = (counts) => {
    const total = ORDER.reduce((sum, status) => sum + (counts[status] || 0), 0);
    return total === 0 ? 100 : (100 * ((counts.Killed || 0) + (counts.Timeout || 0))) / total;
  };
  const fileOf = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    return data.files[name] ? name : null;
  };

  const all = count(names.flatMap((name) => data.files[name].mutants));
  document.getElementById('score').textContent = `score ${score(all).toFixed(1)}%`;
  const statuses = document.getElementById('statuses');
  for (const status of ORDER.filter((status) => all[status])) {
    const button = make('button', { type: 'button', className: status, textContent: `${all[status]} ${WORDS[status]}` });
    button.setAttribute('aria-pressed', 'true');
    button.addEventListener('click', () => {
      if (shown.has(status)) shown.delete(status); else shown.add(status);
      button.setAttribute('aria-pressed', String(shown.has(status)));
      draw();
    });
    statuses.append(button);
  }

  const missed = (name) => data.files[name].mutants.filter((m) => m.status === 'Survived' || m.status === 'NoCoverage').length;
  const sorted = [...names].sort((a, b) => missed(b) - missed(a) || a.localeCompare(b));
  const links = new Map();
  for (const name of sorted) {
    const mutants = data.files[name].mutants;
    const counts = count(mutants);
    const bar = make('div', { className: 'bar' });
    for (const status of ['Killed', 'Timeout', 'NoCoverage', 'Survived']) {
      if (counts[status]) bar.append(make('span', { className: status, style: `flex:${counts[status]}` }));
    }
    const text = `${score(counts).toFixed(0)}% of ${mutants.length}, ${missed(name)} not noticed`;
    const link = make('a', { href: `#${encodeURIComponent(name)}` },
      make('div', { className: 'name', textContent: name }), make('small', { textContent: text }), bar);
    links.set(name, link);
    document.getElementById('files').append(link);
  }

  const mutantCard = (mutant, lines) => {
    const { start, end } = mutant.location;
    const original = start.line === end.line
      ? (lines[start.line - 1] || '').slice(start.column - 1, end.column - 1)
      : lines.slice(start.line - 1, end.line).join('\n').trim();
    const list = (ids) => ids.map((id) => tests.get(id) || id);
    const card = make('div', { className: `mutant ${mutant.status}` },
      make('div', {}, make('b', { className: `status ${mutant.status}`, textContent: WORDS[mutant.status] || mutant.status }),
        ` ${mutant.description || ''}`));
    if (original && mutant.replacement !== undefined) {
      card.append(make('pre', {}, make('del', { textContent: `- ${original}\n` }), make('ins', { textContent: `+ ${mutant.replacement}` })));
    }
    const more = [];
    if (mutant.statusReason) more.push(mutant.statusReason);
    if ((mutant.killedBy || []).length) more.push(`noticed by ${list(mutant.killedBy).join(', ')}`);
    else if ((mutant.coveredBy || []).length) {
      const covering = list(mutant.coveredBy);
      more.push(`reached by ${covering.slice(0, 8).join(', ')}${covering.length > 8 ? ` and ${covering.length - 8} more` : ''}`);
    }
    more.push(`${mutant.mutatorName}; ${mutant.id}`);
    for (const text of more) card.append(make('div', { className: 'more', textContent: text }));
    return card;
  };

  const drawFile = (name) => {
    const file = data.files[name];
    const lines = file.source.split(/\r?\n/);
    const byLine = new Map();
    for (const mutant of file.mutants.filter((m) => shown.has(m.status))) {
      const line = mutant.location.start.line;
      if (!byLine.has(line)) byLine.set(line, []);
      byLine.get(line).push(mutant);
    }
    const body = make('tbody');
    const last = Math.max(lines.length, ...byLine.keys());
    for (let number = 1; number <= last; number++) {
      const own = (byLine.get(number) || []).sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
      const marks = make('td', { className: 'marks' });
      for (const mutant of own) marks.append(make('span', { className: `dot ${mutant.status}`, title: mutant.description || '' }));
      const row = make('tr', {}, make('td', { className: 'number', textContent: String(number) }), marks,
        make('td', { textContent: lines[number - 1] || '' }));
      body.append(row);
      if (own.length === 0) continue;
      row.className = `has line-${own[0].status}`;
      row.tabIndex = 0;
      row.setAttribute('role', 'button');
      let details = null;
      const toggle = () => {
        if (details) { details.remove(); details = null; } else {
          details = make('tr', { className: 'mutants' }, make('td', { colSpan: 3 }, ...own.map((m) => mutantCard(m, lines))));
          row.after(details);
        }
        row.setAttribute('aria-expanded', String(details !== null));
      };
      row.addEventListener('click', toggle);
      row.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(); }
      });
      if (own.some((m) => m.status === 'Survived')) toggle();
    }
    return [make('h2', { textContent: name }), make('table', { className: 'source' }, body)];
  };

  const draw = () => {
    const name = fileOf() || sorted[0];
    for (const [file, link] of links) link.setAttribute('aria-current', String(file === name));
    const section = document.getElementById('file');
    section.replaceChildren(...(name ? drawFile(name) : [make('p', { textContent: 'There are no mutants.' })]));
  };
  window.addEventListener('hashchange', () => { draw(); window.scrollTo(0, 0); });
  draw();
})();
