"""What schemathesis is told beside the description: days on which there are rules."""

from datetime import date

import schemathesis
from hypothesis import strategies as st

schemathesis.openapi.format("date", st.dates(date(2015, 1, 1), date(2030, 12, 31)).map(str))
