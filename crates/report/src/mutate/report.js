'use strict';
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const data = read('data');
  const ORDER = ['Survived', 'NoCoverage', 'Timeout', 'Killed'];
  const WORDS = { Survived: 'survived', NoCoverage: 'not covered', Timeout: 'timeout', Killed: 'killed' };
  const PAGE = 100;
  const shown = new Set(['Survived', 'NoCoverage']);
  const unnoticed = (mutant) => mutant.status === 'Survived' || mutant.status === 'NoCoverage';
  const tests = new Map();
  for (const file of Object.values(data.testFiles || {})) for (const test of file.tests) tests.set(test.id, test.name);
  const names = Object.keys(data.files);
  const files = new Map(names.map((name) => [name, { lines: data.files[name].source.replace(/\r?\n$/, '').split(/\r?\n/), mutants: data.files[name].mutants }]));
  const places = new Map();
  for (const [name, file] of files) for (const mutant of file.mutants) places.set(mutant.id, { name, mutant });

  // An element with properties, attributes and children; text is never parsed as HTML.
  const make = (tag, options = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(options)) {
      if (key in node) node[key] = value; else node.setAttribute(key, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };
  const plural = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const count = (mutants) => {
    const counts = {};
    for (const mutant of mutants) counts[mutant.status] = (counts[mutant.status] || 0) + 1;
    return counts;
  };
  const sum = (counts, statuses) => statuses.reduce((total, status) => total + (counts[status] || 0), 0);
  const score = (counts) => {
    const total = sum(counts, ORDER);
    return total === 0 ? 100 : (100 * sum(counts, ['Killed', 'Timeout'])) / total;
  };
  // Rounded down: not everything is noticed before it is.
  const percent = (value) => `${(Math.floor(value * 10) / 10).toFixed(1)}%`;
  const bar = (counts) => {
    const node = make('div', { className: 'bar' });
    for (const status of ['Killed', 'Timeout', 'NoCoverage', 'Survived']) {
      if (counts[status]) node.append(make('span', { className: status, style: `flex:${counts[status]}` }));
    }
    return node;
  };
  const short = (name) => name.slice(name.lastIndexOf('/') + 1);
  const folder = (name) => name.slice(0, name.lastIndexOf('/') + 1).replace(/^(.*\/)?src\/main\/(java|kotlin)\//, '$1');
  const link = (name, line) => `#${encodeURIComponent(name)}${line ? `:${line}` : ''}`;
  const target = () => {
    const [name, line] = location.hash.slice(1).split(':');
    const file = decodeURIComponent(name);
    return files.has(file) ? { name: file, line: Number(line) || 0 } : null;
  };

  // What is searched for, and whether a mutant is shown.
  const search = document.getElementById('search');
  const text = new Map();
  const searched = ({ name, mutant }) => {
    if (!text.has(mutant.id)) {
      const by = [...(mutant.killedBy || []), ...(mutant.coveredBy || [])].map((id) => tests.get(id));
      text.set(mutant.id, [name, mutant.id, mutant.description, mutant.mutatorName, mutant.replacement, ...by].join('\n').toLowerCase());
    }
    return text.get(mutant.id).includes(search.value.trim().toLowerCase());
  };
  const visible = (name, mutant) => shown.has(mutant.status) && searched({ name, mutant });

  // Java, coloured: comments, literals, annotations and words of the language.
  const TOKEN = /(\/\/.*|\/\*[\s\S]*?(?:\*\/|$))|("""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(@[A-Za-z_$][\w$.]*)|\b(abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default|do|double|else|enum|extends|final|finally|float|for|fun|goto|if|implements|import|instanceof|int|interface|long|native|new|package|permits|private|protected|public|record|return|sealed|short|static|strictfp|super|switch|synchronized|this|throw|throws|transient|try|val|var|void|volatile|when|while|yield|true|false|null)\b|\b(0[xXbB][\da-fA-F_]+[lL]?|\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?[lLfFdD]?)\b/g;
  const KINDS = ['comment', 'literal', 'annotation', 'word', 'literal'];
  const colours = (source) => {
    const rows = [[]];
    const put = (kind, piece) => {
      piece.split(/\r?\n/).forEach((part, index) => {
        if (index > 0) rows.push([]);
        if (part) rows[rows.length - 1].push([kind, part]);
      });
    };
    let last = 0;
    for (const match of source.matchAll(TOKEN)) {
      put('', source.slice(last, match.index));
      put(KINDS[match.slice(1).findIndex((group) => group !== undefined)], match[0]);
      last = match.index + match[0].length;
    }
    put('', source.slice(last));
    return rows;
  };
  // A line's pieces, with those columns marked that unnoticed mutants change.
  const marked = (pieces, ranges) => {
    const nodes = [];
    let column = 1;
    for (const [kind, piece] of pieces) {
      let from = 0;
      while (from < piece.length) {
        const at = column + from;
        const inside = ranges.find((range) => range.start <= at && at < range.end);
        const ends = ranges.flatMap((range) => [range.start, range.end]).filter((end) => end > at).map((end) => end - column);
        const to = Math.min(piece.length, ...ends);
        const className = [kind, inside ? `mark ${inside.status}` : ''].join(' ').trim();
        const part = piece.slice(from, to);
        nodes.push(className ? make('span', { className, textContent: part }) : part);
        from = to;
      }
      column += piece.length;
    }
    return nodes;
  };

  // The lines a mutant changes, before and after; null where Java has no words for it.
  const change = (mutant, lines) => {
    const { start, end } = mutant.location;
    const words = (mutant.description || '').split(': ').slice(1).join(': ');
    if (mutant.replacement === undefined || mutant.replacement === words || end.line > lines.length) return null;
    const all = lines.slice(start.line - 1, end.line);
    const indent = Math.min(...all.filter((line) => line.trim()).map((line) => line.search(/\S/)), start.column - 1);
    const head = lines[start.line - 1].slice(indent, start.column - 1);
    const tail = lines[end.line - 1].slice(end.column - 1);
    let old = all.map((line, index) => line.slice(index === 0 ? start.column - 1 : indent, index === all.length - 1 ? end.column - 1 : undefined));
    if (old.length > 8) old = [...old.slice(0, 4), '...', ...old.slice(-2)];
    return { head, tail, old: old.join('\n'), fresh: mutant.replacement };
  };
  const diff = (mutant, lines) => {
    const { start } = mutant.location;
    const found = change(mutant, lines);
    if (!found) {
      const line = (lines[start.line - 1] || '').trim();
      return line ? make('pre', {}, make('span', { textContent: `  ${line}` })) : null;
    }
    const side = (tag, sign, body) => {
      const rows = body.split('\n');
      const node = make(tag);
      rows.forEach((row, index) => {
        node.append(`${sign} `, index === 0 ? found.head : '', make('b', { textContent: row }),
          index === rows.length - 1 ? found.tail : '', '\n');
      });
      return node;
    };
    return make('pre', {}, side('del', '-', found.old), side('ins', '+', found.fresh));
  };

  const listOf = (title, ids) => {
    const own = ids.map((id) => tests.get(id) || id);
    if (own.length === 1) return make('div', { className: 'more', textContent: `${title} ${own[0]}` });
    return make('details', { className: 'more' }, make('summary', { textContent: `${title} ${plural(own.length, 'test')}` }),
      make('ul', {}, ...own.map((name) => make('li', { textContent: name }))));
  };
  const card = (name, mutant, withPlace) => {
    const { lines } = files.get(name);
    const parts = (mutant.description || '').split(': ');
    const method = parts[0].slice(parts[0].indexOf('#') + 1);
    const node = make('article', { className: `mutant ${mutant.status}`, 'data-id': mutant.id });
    const title = make('div', { className: 'title' },
      make('b', { className: `status ${mutant.status}`, textContent: WORDS[mutant.status] || mutant.status }),
      make('span', { textContent: parts.slice(1).join(': ') || mutant.mutatorName }));
    if (withPlace) {
      title.append(make('a', { className: 'place', href: link(name, mutant.location.start.line),
        textContent: `${short(name)}:${mutant.location.start.line}` }), make('span', { className: 'more', textContent: `in ${method}` }));
    }
    node.append(title);
    const code = diff(mutant, lines);
    if (code) node.append(code);
    if (mutant.statusReason && !unnoticed(mutant)) node.append(make('div', { className: 'more', textContent: mutant.statusReason }));
    if ((mutant.killedBy || []).length) node.append(listOf('noticed by', mutant.killedBy));
    else if ((mutant.coveredBy || []).length) node.append(listOf('reached, but not noticed, by', mutant.coveredBy));
    else if (mutant.status === 'NoCoverage') node.append(make('div', { className: 'more', textContent: 'no test comes here' }));
    node.append(make('div', { className: 'more id', textContent: `${mutant.mutatorName}   ${mutant.id}` }));
    return node;
  };

  // What no test notices, or what else is asked for, over all files.
  const ranked = [...read('order').map((id) => places.get(id)).filter(Boolean),
    ...[...places.values()].filter(({ mutant }) => !unnoticed(mutant))];
  const overview = () => {
    const own = ranked.filter(({ name, mutant }) => visible(name, mutant));
    const noticed = [...shown].some((status) => status !== 'Survived' && status !== 'NoCoverage');
    const title = noticed ? plural(own.length, 'mutant') : `${plural(own.length, 'mutant')} that no test notices`;
    const list = make('div');
    let next = 0;
    const more = make('button', { type: 'button' });
    const add = () => {
      for (const { name, mutant } of own.slice(next, next + PAGE)) list.append(card(name, mutant, true));
      next += PAGE;
      more.hidden = next >= own.length;
      more.textContent = `${own.length - next} more`;
    };
    more.addEventListener('click', add);
    add();
    const nothing = places.size === 0 ? 'There are no mutants.'
      : search.value || shown.size === 0 ? 'Nothing fits.' : 'Every mutant is noticed by some test.';
    return [make('h2', { textContent: title }), own.length ? list : make('p', { textContent: nothing }), more];
  };

  const drawFile = ({ name, line: wanted }) => {
    const file = files.get(name);
    const byLine = new Map();
    for (const mutant of file.mutants.filter((m) => visible(name, m))) {
      const line = mutant.location.start.line;
      if (!byLine.has(line)) byLine.set(line, []);
      byLine.get(line).push(mutant);
    }
    const pieces = colours(data.files[name].source);
    const body = make('tbody');
    const last = Math.max(file.lines.length, ...byLine.keys());
    let goal = null;
    for (let number = 1; number <= last; number++) {
      const own = (byLine.get(number) || []).sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
      const marks = make('td', { className: 'marks' });
      for (const mutant of own.slice(0, 6)) marks.append(make('span', { className: `dot ${mutant.status}`, title: mutant.description || '' }));
      if (own.length > 6) marks.append(`+${own.length - 6}`);
      const ranges = own.filter((m) => unnoticed(m) && m.location.end.line === number)
        .map((m) => ({ start: m.location.start.column, end: m.location.end.column, status: m.status }));
      const row = make('tr', {}, make('td', { className: 'number', textContent: String(number) }), marks,
        make('td', { className: 'code' }, ...marked(pieces[number - 1] || [], ranges)));
      body.append(row);
      if (number === wanted) goal = row;
      if (own.length === 0) continue;
      row.className = `has line-${own[0].status}`;
      row.tabIndex = 0;
      row.setAttribute('role', 'button');
      let details = null;
      const toggle = () => {
        if (details) { details.remove(); details = null; } else {
          details = make('tr', { className: 'mutants' }, make('td', { colSpan: 2 }), make('td', {}, ...own.map((m) => card(name, m, false))));
          row.after(details);
        }
        row.setAttribute('aria-expanded', String(details !== null));
      };
      row.addEventListener('click', toggle);
      row.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(); }
      });
      row.setAttribute('aria-expanded', 'false');
      if (own.some(unnoticed)) toggle();
    }
    if (goal) { goal.classList.add('goal'); setTimeout(() => goal.scrollIntoView({ block: 'center' })); }
    const counts = count(file.mutants);
    const facts = `${percent(score(counts))} of ${plural(file.mutants.length, 'mutant')} noticed`;
    return [make('h2', {}, make('span', { className: 'more', textContent: folder(name) }), short(name), make('small', { textContent: facts })),
      make('table', { className: 'source' }, body)];
  };

  const draw = () => {
    const chosen = target();
    for (const [file, node] of links) {
      node.setAttribute('aria-current', String(file === (chosen ? chosen.name : '')));
      node.hidden = file !== '' && search.value !== '' && !files.get(file).mutants.some((mutant) => searched({ name: file, mutant }));
    }
    document.getElementById('view').replaceChildren(...(chosen ? drawFile(chosen) : overview()));
    document.title = `${chosen ? `${short(chosen.name)} - ` : ''}Mutants - Braid`;
  };

  const all = count([...places.values()].map(({ mutant }) => mutant));
  document.getElementById('score').append(make('b', { textContent: percent(score(all)) }), ' ',
    make('span', { textContent: `of ${plural(places.size, 'mutant')} noticed` }), bar(all));
  const statuses = document.getElementById('statuses');
  for (const status of ORDER.filter((status) => all[status])) {
    const button = make('button', { type: 'button', className: status, textContent: `${all[status]} ${WORDS[status]}` });
    button.setAttribute('aria-pressed', String(shown.has(status)));
    button.addEventListener('click', () => {
      if (shown.has(status)) shown.delete(status); else shown.add(status);
      button.setAttribute('aria-pressed', String(shown.has(status)));
      draw();
    });
    statuses.append(button);
  }

  const missed = (name) => files.get(name).mutants.filter(unnoticed).length;
  const sorted = [...names].sort((a, b) => missed(b) - missed(a) || a.localeCompare(b));
  const links = new Map([['', make('a', { href: '#' }, make('div', { className: 'name', textContent: 'All files' }),
    make('small', { textContent: plural(names.length, 'file') }))]]);
  for (const name of sorted) {
    const counts = count(files.get(name).mutants);
    const facts = missed(name) ? `${percent(score(counts))}, ${missed(name)} of ${files.get(name).mutants.length} not noticed` : `all ${files.get(name).mutants.length} noticed`;
    links.set(name, make('a', { href: link(name), title: name },
      make('div', { className: 'name', textContent: short(name) }), make('small', { className: 'folder', textContent: folder(name) }),
      make('small', { textContent: facts }), bar(counts)));
  }
  document.getElementById('files').append(...links.values());
  search.addEventListener('input', draw);
  window.addEventListener('hashchange', () => { draw(); if (!(target() || {}).line) window.scrollTo(0, 0); });
  draw();
})();
